#pragma once

#include "pipeline/rounding_state.hpp"

namespace kareus::pipeline {

/// Gives runs of nodes with one clock the clock of the run before or after them on their stage where that costs no
/// energy and the iteration ends within `limit`: the switches between them are gone, and what waited for them may slow
/// down. Until nothing improves.
void merge_clock_runs(RoundingState& state, double limit);

}  // namespace kareus::pipeline
