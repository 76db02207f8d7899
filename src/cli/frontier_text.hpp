#pragma once

#include <string>

#include "kareus/instruction_frontier.hpp"

namespace kareus::cli {

/// The points of a curve as a table for people; for a single point also the clocks of every stage's instructions.
std::string frontier_text(const planner::InstructionFrontier& frontier);

}  // namespace kareus::cli
