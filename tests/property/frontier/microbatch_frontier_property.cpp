#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "kareus/frontier.hpp"

namespace kareus::frontier {
namespace {

/// Small whole numbers make ties and duplicates common and sums exact.
ClockOptions arbitrary_clock(int mhz) {
  ClockOptions clock{.clock = {mhz}, .types = {}, .non_partition = {}, .sequential = std::nullopt};
  const auto number = [](int low, int high) { return static_cast<double>(*rc::gen::inRange(low, high)); };
  const int types = *rc::gen::inRange(0, 5);
  for (int t = 0; t < types; ++t) {
    TypeOptions type{.type = fmt::format("t{}", t), .recomputed = t % 2 == 1, .count = number(0, 4), .options = {}};
    const int options = *rc::gen::weightedOneOf<int>({{1, rc::gen::just(0)}, {9, rc::gen::inRange(1, 6)}});
    for (int o = 0; o < options; ++o) {
      type.options.push_back({.config = {.sm_count = {o}, .launch_slot = "none"},
                              .cost = {.time = Seconds(number(1, 20)), .effective_energy = Joules(number(-5, 40))}});
    }
    clock.types.push_back(std::move(type));
  }
  clock.non_partition = {.time = Seconds(number(0, 5)), .effective_energy = Joules(number(0, 5))};
  if (*rc::gen::arbitrary<bool>()) clock.sequential = Cost{Seconds(number(1, 80)), Joules(number(0, 160))};
  return clock;
}

/// Every combination of one option per type that runs.
void enumerate(const ClockOptions& clock, std::size_t next, Cost sum, std::vector<Cost>& all) {
  if (next == clock.types.size()) {
    all.push_back(sum);
    return;
  }
  const TypeOptions& type = clock.types[next];
  if (type.count == 0) return enumerate(clock, next + 1, sum, all);
  for (const auto& option : type.options) {
    enumerate(
        clock, next + 1,
        {sum.time + type.count * option.cost.time, sum.effective_energy + type.count * option.cost.effective_energy},
        all);
  }
}

/// Cost of an option, recomputed from the schedule that it claims.
Cost cost_of(const schedule::MicrobatchSchedule& schedule, const ClockOptions& clock) {
  if (schedule.sequential) return *clock.sequential;
  Cost sum = clock.non_partition;
  for (const TypeOptions& type : clock.types) {
    if (type.count == 0) continue;
    const auto& configs = type.recomputed ? schedule.recomputed : schedule.partitions;
    const auto& option = type.options.at(static_cast<std::size_t>(configs.at(type.type).sm_count.value));
    sum.time += type.count * option.cost.time;
    sum.effective_energy += type.count * option.cost.effective_energy;
  }
  return sum;
}

RC_GTEST_PROP(MicrobatchFrontierProperty, EqualsTheParetoSetOfTheFullProduct, ()) {
  std::vector<ClockOptions> clocks;
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) clocks.push_back(arbitrary_clock(1000 + i));
  std::vector<Cost> all;
  for (const ClockOptions& clock : clocks) {
    bool runs = false;
    for (const TypeOptions& type : clock.types) runs = runs || type.count > 0;
    if (runs) enumerate(clock, 0, clock.non_partition, all);
    if (clock.sequential) all.push_back(*clock.sequential);
  }
  const auto expected = pareto_front(all);
  const auto frontier = microbatch_frontier(clocks, Watts(3));
  RC_ASSERT(frontier.size() == expected.size());
  for (std::size_t i = 0; i < frontier.size(); ++i) {
    RC_ASSERT(frontier[i].time == all[expected[i]].time);
    RC_ASSERT(frontier[i].energy == all[expected[i]].effective_energy + Watts(3) * frontier[i].time);
    const auto& clock = clocks[static_cast<std::size_t>(frontier[i].schedule.clock.mhz - 1000)];
    const Cost claimed = cost_of(frontier[i].schedule, clock);
    RC_ASSERT(claimed.time == frontier[i].time);
    RC_ASSERT(claimed.effective_energy == all[expected[i]].effective_energy);
  }
}

RC_GTEST_PROP(ParetoFrontProperty, KeepsExactlyTheUndominated, ()) {
  std::vector<Cost> costs;
  const int count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    costs.push_back({Seconds(*rc::gen::inRange(0, 12)), Joules(*rc::gen::inRange(-6, 6))});
  }
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    bool dominated = false;
    for (std::size_t j = 0; j < costs.size(); ++j) {
      const bool no_worse = costs[j].time <= costs[i].time && costs[j].effective_energy <= costs[i].effective_energy;
      const bool equal = costs[j].time == costs[i].time && costs[j].effective_energy == costs[i].effective_energy;
      dominated = dominated || (no_worse && (!equal || j < i));
    }
    if (!dominated) expected.push_back(i);
  }
  std::sort(expected.begin(), expected.end(),
            [&](std::size_t a, std::size_t b) { return costs[a].time < costs[b].time; });
  RC_ASSERT(pareto_front(costs) == expected);
}

}  // namespace
}  // namespace kareus::frontier
