// The whole composition against enumeration: every combination of real options on small pipelines.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
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

/// Enumerates every choice of real options.
Best enumerate(const std::vector<schedule::StageOptions>& stages, int microbatches, double static_power) {
  const auto dag =
      *pipeline::build_dag(pipeline::one_forward_one_backward(static_cast<int>(stages.size()), microbatches));
  std::vector<std::size_t> choice(dag.nodes.size(), 0);
  Best best;
  for (;;) {
    std::vector<Seconds> durations;
    double effective = 0;
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const auto& node = dag.nodes[i];
      const auto& option = options_of(stages, node)[choice[i]];
      durations.push_back(option.time);
      effective += option.energy.si() - static_power * option.time.si();
    }
    const double time = pipeline::earliest_times(dag, durations).makespan.si();
    best.fastest = std::min(best.fastest, time);
    best.least_energy =
        std::min(best.least_energy, effective + static_cast<double>(stages.size()) * static_power * time);
    std::size_t i = 0;
    for (; i < choice.size(); ++i) {
      const auto& node = dag.nodes[i];
      if (++choice[i] < options_of(stages, node).size()) break;
      choice[i] = 0;
    }
    if (i == choice.size()) return best;
  }
}

RC_GTEST_PROP(IterationFrontier, ReachesTheEndsThatEnumerationFinds, ()) {
  const auto microbatches = *rc::gen::inRange(1, 3);
  std::vector<schedule::StageOptions> stages;
  for (int i = 0; i < 2; ++i) stages.push_back({.forward = random_options(), .backward = random_options()});
  workload::Workload workload;
  workload.microbatches = microbatches;
  workload.parallelism.pipeline = 2;
  workload.layers_per_stage = {1, 1};
  const double static_power = *rc::gen::inRange(0, 200);

  const auto file = iteration_frontier(stages, workload, Watts(static_power), 50, {});
  RC_ASSERT(file.has_value());
  const Best best = enumerate(stages, microbatches, static_power);
  RC_ASSERT(file->points.front().time.si() <= best.fastest * (1 + 1e-9));
  // Rounding is a heuristic: the least energy may be missed, by a little and never below the true optimum.
  RC_ASSERT(file->points.back().energy.si() >= best.least_energy * (1 - 1e-9));
  RC_ASSERT(file->points.back().energy.si() <= best.least_energy * 1.03);
  for (const auto& point : file->points) RC_ASSERT(point.energy.si() >= point.bound.si() * (1 - 1e-9));
}

}  // namespace
}  // namespace kareus::planner
