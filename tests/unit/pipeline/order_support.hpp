#pragma once

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

inline constexpr auto kF = OperationKind::forward;
inline constexpr auto kB = OperationKind::backward;
inline constexpr auto kI = OperationKind::input_gradient;
inline constexpr auto kW = OperationKind::weight_gradient;
inline constexpr auto kR = OperationKind::recompute;

/// Duration of every kind, the same on all stages.
struct Durations {
  double forward = 1;
  double backward = 2;
  double input_gradient = 1;
  double weight_gradient = 1;
  double recompute = 1;

  double of(OperationKind kind) const {
    switch (kind) {
      case OperationKind::forward:
        return forward;
      case OperationKind::backward:
        return backward;
      case OperationKind::input_gradient:
        return input_gradient;
      case OperationKind::weight_gradient:
        return weight_gradient;
      case OperationKind::recompute:
        return recompute;
    }
    return 0;
  }
};

inline double makespan(const Dag& dag, const Durations& durations = {}) {
  std::vector<Seconds> times;
  for (const auto& node : dag.nodes) times.push_back(Seconds(durations.of(node.operation.kind)));
  return earliest_times(dag, times).makespan.si();
}

/// Forwards begun whose activations are still needed: until the backward or the weight gradient, whichever runs.
inline int most_in_flight(const std::vector<Operation>& stage) {
  int now = 0;
  int most = 0;
  for (const Operation& operation : stage) {
    if (operation.kind == kF) most = std::max(most, ++now);
    if (operation.kind == kB || operation.kind == kW) --now;
  }
  return most;
}

/// Every pair of microbatch and chunk that runs `kind` on the stage; less than `stage.size()` of them if one repeats.
inline std::size_t distinct(const std::vector<Operation>& stage, OperationKind kind) {
  std::set<std::pair<int, int>> seen;
  for (const Operation& operation : stage) {
    if (operation.kind == kind) seen.emplace(operation.microbatch, operation.chunk);
  }
  return seen.size();
}

}  // namespace kareus::pipeline
