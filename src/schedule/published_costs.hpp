#pragma once

#include <string>
#include <vector>

#include "schedule/literal.hpp"
#include "schedule/published_plan.hpp"

namespace kareus::schedule {

/// Reads the lines `Iteration N total cost: X`, `... total cost with P2P: X` and `... cost change: X` among the
/// comments; others say nothing. Adds a problem for a number that is none and for iterations that differ.
PublishedCosts read_costs(const std::vector<LiteralFile::Comment>& comments, const std::string& name,
                          std::vector<Problem>& problems);

}  // namespace kareus::schedule
