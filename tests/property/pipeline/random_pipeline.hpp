#pragma once

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "kareus/curve.hpp"

namespace kareus::pipeline {

/// A small DAG with whole-number times and energies; each node has a function of its own.
struct RandomPipeline {
  Dag dag;
  NodeCosts costs;

  Curve curve() const {
    auto result = Curve::solve(dag, costs);
    RC_ASSERT(result.has_value());
    return *result;
  }
};

inline std::vector<NodeOption> random_options(int most, int longest) {
  std::vector<NodeOption> options;
  const int count = *rc::gen::inRange(1, most + 1);
  for (int i = 0; i < count; ++i) {
    options.push_back({Seconds(*rc::gen::inRange(1, longest + 1)), Joules(*rc::gen::inRange(-3, 30))});
  }
  return options;
}

inline RandomPipeline random_pipeline(int nodes, int most_options, int longest) {
  RandomPipeline pipeline;
  pipeline.dag.nodes.resize(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    auto& predecessors = pipeline.dag.predecessors.emplace_back();
    for (int other = 0; other < node; ++other) {
      if (*rc::gen::inRange(0, 5) < 2) predecessors.push_back({static_cast<std::uint32_t>(other), Seconds(0)});
    }
    pipeline.costs.function_of.push_back(static_cast<std::uint32_t>(node));
    pipeline.costs.functions.push_back(random_options(most_options, longest));
  }
  pipeline.dag.tail.resize(pipeline.dag.nodes.size());
  return pipeline;
}

/// Gives the arcs and ends of a pipeline whole-number lags and tails, many of them zero.
inline void add_fixed_times(RandomPipeline& pipeline, int longest) {
  const auto any = [&] { return Seconds(std::max(0, *rc::gen::inRange(-longest, longest + 1))); };
  for (auto& predecessors : pipeline.dag.predecessors) {
    for (Dag::Predecessor& predecessor : predecessors) predecessor.lag = any();
  }
  for (Seconds& tail : pipeline.dag.tail) tail = any();
}

/// A 1F1B pipeline with random functions per stage and direction.
inline RandomPipeline random_1f1b(int most_stages, int most_microbatches, int most_options, int longest) {
  RandomPipeline pipeline;
  const int stages = *rc::gen::inRange(1, most_stages + 1);
  const int microbatches = *rc::gen::inRange(1, most_microbatches + 1);
  pipeline.dag = *build_dag(one_forward_one_backward(stages, microbatches));
  for (int i = 0; i < 2 * stages; ++i) pipeline.costs.functions.push_back(random_options(most_options, longest));
  for (const auto& node : pipeline.dag.nodes) {
    const bool forward = node.operation.kind == OperationKind::forward;
    pipeline.costs.function_of.push_back(static_cast<std::uint32_t>(forward ? node.stage : stages + node.stage));
  }
  return pipeline;
}

/// Energy of a duration on the lower convex envelope of the options: the least over all options and mixes of two.
/// Infinite below the fastest option.
inline double envelope(const std::vector<NodeOption>& options, double duration) {
  double least = INFINITY;
  for (const NodeOption& a : options) {
    if (a.time.si() > duration) continue;
    least = std::min(least, a.effective_energy.si());
    for (const NodeOption& b : options) {
      if (b.time.si() <= duration) continue;
      const double part = (duration - a.time.si()) / (b.time - a.time).si();
      least = std::min(least, a.effective_energy.si() + part * (b.effective_energy - a.effective_energy).si());
    }
  }
  return least;
}

inline double relaxed_energy(const RandomPipeline& pipeline, const std::vector<Seconds>& durations) {
  double sum = 0;
  for (std::size_t node = 0; node < durations.size(); ++node) {
    sum += envelope(pipeline.costs.functions[pipeline.costs.function_of[node]], durations[node].si());
  }
  return sum;
}

inline bool near(double a, double b, double tolerance = 1e-9) {
  return std::fabs(a - b) <= tolerance * std::max({1.0, std::fabs(a), std::fabs(b)});
}

}  // namespace kareus::pipeline
