#pragma once

#include "kareus/emulate.hpp"

namespace kareus::emulate {

/// Errors: usage, with everything that makes no sense.
Result<void> check_conditions(const schedule::Plan& plan, const Conditions& conditions);

/// Factor on the time of an instruction on a stage: the slowest GPU's draw. 1 without jitter.
double jitter_factor(const Conditions& conditions, int stream, std::size_t stage, std::size_t position, int gpus);

}  // namespace kareus::emulate
