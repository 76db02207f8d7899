#pragma once

#include "kareus/evaluation.hpp"

namespace kareus::evaluate {

/// Measurements that a recipe plans from: those of its search, or of every configuration that its method has.
Result<planner::Measured> measurements_of(const Recipe& recipe, const Exhaustive& simulated,
                                          const device::NoiseModel& noise, std::uint64_t seed);

/// The frontier of a recipe by its measurements, with what the device really takes, in waits too. The in-situ costs are
/// those of `simulated.info`. Errors: those of the solvers.
Result<schedule::FrontierFile> carry_out(const Recipe& recipe, const workload::Workload& workload,
                                         const Exhaustive& simulated, const planner::Measured& measured,
                                         std::size_t points);

/// `stage 0 forward: 1350 MHz, fwd_attn rope_0/15, …`: the commonest schedule of each stage and kind at a point.
std::vector<std::string> common_schedules(const schedule::FrontierFile& frontier, std::size_t point);

}  // namespace kareus::evaluate
