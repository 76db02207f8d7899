#pragma once

#include "kareus/evaluation.hpp"

namespace kareus::evaluate {

/// What a recipe's search measures of the partition types, with the device's noise, added to the measurements of
/// everything else. Errors: those of the search.
Result<planner::Measured> searched(const Recipe& recipe, const Exhaustive& simulated, const device::NoiseModel& noise,
                                   std::uint64_t seed);

}  // namespace kareus::evaluate
