#pragma once

#include <string>

#include "cli/run_folder.hpp"
#include "kareus/planner.hpp"
#include "kareus/schedule.hpp"

namespace kareus::cli {

/// What `plan` prints: the ends of the frontier beside the baselines, and the files written.
std::string plan_summary(const planner::PlanResult& result, const RunFolder& folder, bool json);

/// What `select` prints: a plan in a few lines.
std::string plan_text(const schedule::Plan& plan);

}  // namespace kareus::cli
