#pragma once

#include <string>

#include "evaluate/measures.hpp"
#include "kareus/evaluation.hpp"

namespace kareus::evaluate {

/// The plans of a recipe at a level, or null.
const Outcome* find_outcome(const WorkloadResults& workload, const std::string& recipe, bool calibrated);
/// The frontier of a recipe at a level, or null.
const Points* find_points(const WorkloadResults& workload, const std::string& recipe, bool calibrated);

}  // namespace kareus::evaluate
