#pragma once

#include <cstdint>

#include "kareus/device_description.hpp"

namespace kareus::device::sim {

/// Factors of one run.
struct NoiseDraw {
  double time = 1.0;
  double power = 1.0;
};

/// Noise of the run with that index on a device of that seed. Runs draw from streams of their own, so the state of the
/// noise is the index alone. Normal with the description's coefficients of variation, cut off at four sigma.
NoiseDraw draw_noise(const NoiseModel& model, std::uint64_t seed, std::uint64_t run);

}  // namespace kareus::device::sim
