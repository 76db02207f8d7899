#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "pipeline/parametric_flow.hpp"

namespace kareus::pipeline {

/// Snapshots of the solver at every so many breakpoints, saturated; any other breakpoint is a few steps from one. When
/// they grow beyond the limit every second one is dropped.
class Snapshots {
 public:
  /// Memory that the snapshots of a curve may take.
  static constexpr std::size_t kBytes = std::size_t{48} << 20;

  void offer(std::size_t breakpoint, const ParametricFlow& flow) {
    if (breakpoint % interval_ != 0) return;
    kept_.push_back(flow.snapshot());
    const std::size_t bytes = (kept_.back().times.size() + kept_.back().flows.size()) * sizeof(std::int64_t);
    if (kept_.size() > 2 && kept_.size() * bytes > kBytes) {
      for (std::size_t i = 1; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
      kept_.resize((kept_.size() + 1) / 2);
      interval_ *= 2;
    }
  }
  /// Puts `flow` at the last snapshot not after the breakpoint; returns how many steps are missing.
  std::size_t restore(std::size_t breakpoint, ParametricFlow& flow) const {
    flow.restore(kept_[breakpoint / interval_]);
    return breakpoint % interval_;
  }

 private:
  std::size_t interval_ = 1;
  std::vector<FlowSnapshot> kept_;
};

}  // namespace kareus::pipeline
