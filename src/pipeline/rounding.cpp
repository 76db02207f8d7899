#include "kareus/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "pipeline/rounding_beam.hpp"
#include "pipeline/rounding_front.hpp"
#include "pipeline/rounding_search.hpp"
#include "pipeline/rounding_state.hpp"
#include "pipeline/switches.hpp"

namespace kareus::pipeline {
namespace {

/// The curve's durations are whole picoseconds at its breakpoints; a real option may be longer by half of one.
constexpr double kTick = 1e-12;
constexpr double kRelativeNoise = 1e-15;
/// Work per plan: nodes looked at in the search for swaps, and choices tried in neighbourhoods. Some milliseconds each
/// for a small pipeline, some hundredths of a second for thousands of instructions.
constexpr std::size_t kSwapBudget = 20'000;
constexpr std::size_t kChoiceBudget = 400'000;
constexpr std::size_t kNeighbours = 5;
/// A frontier of a small pipeline can afford larger neighbourhoods.
constexpr std::size_t kSmall = 128;
constexpr std::size_t kBeamWidth = 256;
constexpr std::size_t kThoroughBudget = 2'000'000;

class Rounder {
 public:
  Rounder(const Dag& dag, const NodeCosts& costs, const Curve& curve, const ClockModel& clocks)
      : dag_(dag),
        costs_(costs),
        curve_(curve),
        clocks_(clocks),
        problem_{.dag = dag,
                 .function_of = costs.function_of,
                 .fronts = make_fronts(costs, clocks),
                 .switch_latency = clocks.clocks.empty() ? 0.0 : clocks.switch_latency.si()},
        beam_(problem_, kBeamWidth),
        fastest_(problem_, std::vector<std::uint32_t>(dag.size(), 0)) {
    for (const auto& positions : uniform_clocks()) {
      RoundingState state(problem_, positions);
      if (state.makespan() < fastest_.makespan()) fastest_ = state;
      uniform_.push_back(std::move(state));
    }
  }

  bool is_small() const { return dag_.size() <= kSmall; }
  double limit(Seconds time) const {
    return std::max(time.si(), fastest_.makespan()) * (1 + 1e-12) + static_cast<double>(dag_.size()) * kTick;
  }

  /// The best of several starts.
  RoundingState round(Seconds time) {
    const double limit = this->limit(time);
    std::optional<RoundingState> best;
    for (RoundingState& start : starts(time, limit)) {
      reclaim_all(start, limit);
      if (!best || start.energy() < best->energy()) best = std::move(start);
    }
    if (is_small() && problem_.switch_latency == 0) {
      auto positions = beam_.search(curve_.point(time), limit);
      if (!positions.empty()) {
        RoundingState found(problem_, std::move(positions));
        reclaim_all(found, limit);
        if (found.energy() < best->energy()) best = std::move(found);
      }
    }
    improve(*best, limit);
    return std::move(*best);
  }

  /// Never makes it dearer; leaves no node that could save alone.
  void improve(RoundingState& state, double limit) const {
    reclaim_all(state, limit);
    std::size_t swaps = kSwapBudget;
    std::size_t choices = kChoiceBudget;
    swap_options(state, limit, swaps);
    search_neighbourhoods(state, limit, kNeighbours, choices);
    swap_options(state, limit, swaps);
    merge_clock_runs(state, limit);
    reclaim_all(state, limit);
  }

  /// The same with more work, where the pipeline is small.
  void improve_thoroughly(RoundingState& state, double limit) const {
    if (!is_small()) return;
    std::size_t choices = kThoroughBudget;
    search_neighbourhoods(state, limit, kLargestNeighbourhood, choices);
    improve(state, limit);
  }

  RealPlan plan(const RoundingState& state) const {
    RealPlan plan;
    plan.choice.resize(dag_.size());
    Timing timing{.start = std::vector<Seconds>(dag_.size()), .makespan = Seconds(state.makespan())};
    for (std::uint32_t node = 0; node < dag_.size(); ++node) {
      plan.choice[node] = state.front(node).option[state.position(node)];
      plan.effective_energy += costs_.functions[costs_.function_of[node]][plan.choice[node]].effective_energy;
      timing.start[node] = Seconds(state.slack().before(node));
    }
    plan.time = timing.makespan;
    const Parking parking = park_waits(dag_, costs_, timing, plan.choice, clocks_);
    plan.parking_saves = parking.saves;
    plan.clock_switches = parking.clock_switches;
    return plan;
  }

 private:
  RoundingState down_from(Seconds time) const {
    const std::vector<Seconds> durations = curve_.durations(time);
    std::vector<std::uint32_t> positions(dag_.size());
    for (std::uint32_t node = 0; node < dag_.size(); ++node) {
      positions[node] = problem_.front(node).slowest_within(durations[node].si() * (1 + kRelativeNoise) + kTick);
    }
    return RoundingState(problem_, std::move(positions));
  }

  /// The durations wanted, which mix two breakpoints, and those of the faster breakpoint, of which most are real
  /// options already. Where switches of the clock take their time, also faster durations, until they fit, and one clock
  /// for all.
  std::vector<RoundingState> starts(Seconds time, double limit) const {
    std::vector<RoundingState> result;
    const auto offer = [&](RoundingState state) {
      if (state.makespan() <= limit) result.push_back(std::move(state));
    };
    offer(down_from(time));
    const auto& breakpoints = curve_.breakpoints();
    const auto faster = std::partition_point(breakpoints.begin(), breakpoints.end(),
                                             [&](const Breakpoint& point) { return point.time > time; });
    if (faster != breakpoints.end() && faster->time < time) offer(down_from(faster->time));
    if (problem_.switch_latency > 0) {
      for (double part = 0.02; part < 1 && result.empty(); part *= 2) {
        offer(down_from(time - part * (time - curve_.fastest())));
      }
      for (const RoundingState& state : uniform_) offer(state);
    }
    if (result.empty()) result.push_back(fastest_);
    return result;
  }

  /// For every clock that all functions list: every node at its fastest with that clock. Nothing without switch
  /// latency.
  std::vector<std::vector<std::uint32_t>> uniform_clocks() const {
    std::vector<std::vector<std::uint32_t>> result;
    if (problem_.switch_latency == 0) return result;
    const std::set<Clock> candidates(problem_.fronts[0].clock.begin(), problem_.fronts[0].clock.end());
    for (const Clock clock : candidates) {
      std::vector<std::uint32_t> fastest;
      for (const Front& front : problem_.fronts) {
        const auto found = std::find(front.clock.begin(), front.clock.end(), clock);
        if (found != front.clock.end()) fastest.push_back(static_cast<std::uint32_t>(found - front.clock.begin()));
      }
      if (fastest.size() < problem_.fronts.size()) continue;
      auto& positions = result.emplace_back();
      for (const std::uint32_t function : costs_.function_of) positions.push_back(fastest[function]);
    }
    return result;
  }

  const Dag& dag_;
  const NodeCosts& costs_;
  const Curve& curve_;
  const ClockModel& clocks_;
  RoundingProblem problem_;
  Beam beam_;
  RoundingState fastest_;
  std::vector<RoundingState> uniform_;
};

}  // namespace

RealPlan round_to_options(const Dag& dag, const NodeCosts& costs, const Curve& curve, Seconds time,
                          const ClockModel& clocks) {
  KAREUS_CHECK(costs.function_of.size() == dag.size() && std::isfinite(time.si()));
  Rounder rounder(dag, costs, curve, clocks);
  return rounder.plan(rounder.round(time));
}

std::vector<RealPlan> round_frontier(const Dag& dag, const NodeCosts& costs, const Curve& curve,
                                     std::span<const Seconds> times, const ClockModel& clocks) {
  KAREUS_CHECK(costs.function_of.size() == dag.size());
  std::vector<Seconds> ascending(times.begin(), times.end());
  for (const Seconds time : ascending) KAREUS_CHECK(std::isfinite(time.si()));
  std::sort(ascending.begin(), ascending.end());
  Rounder rounder(dag, costs, curve, clocks);
  std::vector<RealPlan> plans;
  std::optional<RoundingState> best;  // of all times so far
  for (const Seconds time : ascending) {
    RoundingState state = rounder.round(time);
    if (best) {
      RoundingState carried = *best;
      rounder.improve(carried, rounder.limit(time));
      if (carried.energy() < state.energy()) state = std::move(carried);
    }
    rounder.improve_thoroughly(state, rounder.limit(time));
    if (best && state.energy() >= best->energy()) continue;
    plans.push_back(rounder.plan(state));
    best = std::move(state);
  }
  // A later plan can be faster than an earlier one, which then is beaten in both.
  std::vector<RealPlan> kept;
  for (RealPlan& plan : plans) {
    while (!kept.empty() && kept.back().time >= plan.time) kept.pop_back();
    kept.push_back(std::move(plan));
  }
  return kept;
}

}  // namespace kareus::pipeline
