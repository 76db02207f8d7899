#pragma once

#include <vector>

#include "kareus/pipeline.hpp"
#include "kareus/schedule.hpp"

namespace kareus::planner {

/// An order of whole forwards and backwards of one chunk per stage, as frontier files and plans hold it.
std::vector<std::vector<schedule::Instruction>> instructions_of(const pipeline::Order& order);

}  // namespace kareus::planner
