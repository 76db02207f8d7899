// The whole composition against enumeration: every combination of real options on small pipelines.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kareus/pipeline.hpp"
#include "kareus/planner.hpp"

namespace kareus::planner {
namespace {

std::vector<schedule::InstructionOption> random_options() {
  const auto count = *rc::gen::inRange(1, 3);
  std::vector<schedule::InstructionOption> options;
  double time = 0.1 * *rc::gen::inRange(5, 15);
  double energy = 10.0 * *rc::gen::inRange(30, 60);
  for (int i = 0; i < count; ++i) {
    options.push_back({Seconds(time),
                       Joules(energy),
                       {.clock = Clock{1410 - 30 * i}, .sequential = true, .partitions = {}, .recomputed = {}}});
    time *= 1.0 + 0.01 * *rc::gen::inRange(2, 40);
    energy *= 1.0 - 0.01 * *rc::gen::inRange(1, 30);
  }
  return options;
}

const std::vector<schedule::InstructionOption>& options_of(const std::vector<schedule::StageOptions>& stages,
                                                           const pipeline::Dag::Node& node) {
  const bool forward = node.operation.kind == pipeline::OperationKind::forward;
  const schedule::StageOptions& stage = stages[static_cast<std::size_t>(node.stage)];
  return forward ? stage.forward : stage.backward;
}

struct Best {
  double fastest = std::numeric_limits<double>::infinity();
  double least_energy = std::numeric_limits<double>::infinity();
};

using Power = std::function<double(Clock)>;

/// What the stages draw while they execute nothing: at the clock of what ran before.
double waits(const pipeline::Dag& dag, const std::vector<Seconds>& durations, const pipeline::Timing& timing,
             const std::vector<Clock>& clocks, const Power& power) {
  double sum = 0;
  for (const auto& nodes : dag.node_at) {
    double free = 0;
    Clock clock = clocks[nodes.front()];
    for (const auto node : nodes) {
      sum += power(clock) * (timing.start[node].si() - free);
      free = (timing.start[node] + durations[node]).si();
      clock = clocks[node];
    }
    sum += power(clock) * (timing.makespan.si() - free);
  }
  return sum;
}

/// Enumerates every choice of real options.
Best enumerate(const std::vector<schedule::StageOptions>& stages, int microbatches, const Power& power) {
  const auto dag =
      *pipeline::build_dag(pipeline::one_forward_one_backward(static_cast<int>(stages.size()), microbatches));
  std::vector<std::size_t> choice(dag.nodes.size(), 0);
  Best best;
  for (;;) {
    std::vector<Seconds> durations;
    std::vector<Clock> clocks;
    double working = 0;
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const auto& node = dag.nodes[i];
      const auto& option = options_of(stages, node)[choice[i]];
      durations.push_back(option.time);
      clocks.push_back(option.schedule.clock);
      working += option.energy.si();
    }
    const pipeline::Timing timing = pipeline::earliest_times(dag, durations);
    best.fastest = std::min(best.fastest, timing.makespan.si());
    best.least_energy = std::min(best.least_energy, working + waits(dag, durations, timing, clocks, power));
    std::size_t i = 0;
    for (; i < choice.size(); ++i) {
      const auto& node = dag.nodes[i];
      if (++choice[i] < options_of(stages, node).size()) break;
      choice[i] = 0;
    }
    if (i == choice.size()) return best;
  }
}

/// A frontier of two stages against all plans, `power_at` empty for constant static power.
void check_ends(int microbatches, double static_power, const schedule::PowerByClock& power_at) {
  std::vector<schedule::StageOptions> stages;
  for (int i = 0; i < 2; ++i) stages.push_back({.forward = random_options(), .backward = random_options()});
  workload::Workload workload;
  workload.microbatches = microbatches;
  workload.parallelism.pipeline = 2;
  workload.layers_per_stage = {1, 1};

  const auto file = iteration_frontier(stages, workload, Watts(static_power), 50, {}, power_at);
  RC_ASSERT(file.has_value());
  const Best best = enumerate(stages, microbatches, [&](Clock clock) {
    return power_at.empty() ? static_power : schedule::power_at(power_at, clock).si();
  });
  RC_ASSERT(file->points.front().time.si() <= best.fastest * (1 + 1e-9));
  // Rounding is a heuristic: the least energy may be missed, by a little and never below the true optimum.
  RC_ASSERT(file->points.back().energy.si() >= best.least_energy * (1 - 1e-9));
  RC_ASSERT(file->points.back().energy.si() <= best.least_energy * 1.03);
  for (const auto& point : file->points) {
    RC_ASSERT(point.energy.si() >= point.bound.si() * (1 - 1e-9));
    RC_ASSERT(std::abs((point.static_energy + point.dynamic_energy - point.energy).si()) <= 1e-9 * point.energy.si());
  }
}

RC_GTEST_PROP(IterationFrontier, ReachesTheEndsThatEnumerationFinds, ()) {
  check_ends(*rc::gen::inRange(1, 3), *rc::gen::inRange(0, 200), {});
}

RC_GTEST_PROP(IterationFrontier, ReachesThemWithWaitsChargedByTheirClock, ()) {
  const double lowest = *rc::gen::inRange(20, 80);
  const double highest = lowest + *rc::gen::inRange(0, 30);
  check_ends(*rc::gen::inRange(1, 3), highest, {{Clock{1350}, Watts(lowest)}, {Clock{1410}, Watts(highest)}});
}

TEST(IterationFrontier, OfOnePowerAtEveryClockIsThatOfAConstant) {
  const auto option = [](double time, double energy, int clock) {
    return schedule::InstructionOption{
        Seconds(time), Joules(energy), {.clock = Clock{clock}, .sequential = true, .partitions = {}, .recomputed = {}}};
  };
  const schedule::StageOptions stage{.forward = {option(1, 300, 1410), option(1.2, 260, 1350)},
                                     .backward = {option(2, 700, 1410), option(2.3, 610, 1350)}};
  workload::Workload workload;
  workload.microbatches = 3;
  workload.parallelism.pipeline = 2;
  workload.layers_per_stage = {1, 1};
  const auto constant = iteration_frontier({stage, stage}, workload, Watts(70), 10, {}).value();
  const schedule::PowerByClock same{{Clock{1350}, Watts(70)}, {Clock{1410}, Watts(70)}};
  const auto by_clock = iteration_frontier({stage, stage}, workload, Watts(70), 10, {}, same).value();
  EXPECT_EQ(by_clock.points, constant.points);
  EXPECT_EQ(by_clock.static_power_at, same);
}

}  // namespace
}  // namespace kareus::planner
