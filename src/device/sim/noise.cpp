#include "device/sim/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "base/text.hpp"

namespace kareus::device::sim {
namespace {

/// From the open interval (0, 1). The standard library's distributions differ between implementations.
double uniform(std::mt19937_64& engine) {
  return (static_cast<double>(engine() >> 11U) + 0.5) * 0x1.0p-53;
}

double cut(double sigmas) {
  return std::clamp(sigmas, -4.0, 4.0);
}

}  // namespace

NoiseDraw draw_noise(const NoiseModel& model, std::uint64_t seed, std::uint64_t run) {
  if (model.time_cv == 0.0 && model.energy_cv == 0.0) return {};
  std::mt19937_64 engine(derive_seed(seed, "noise:" + hex(run)));
  const double radius = std::sqrt(-2.0 * std::log(uniform(engine)));
  const double angle = 2.0 * std::numbers::pi * uniform(engine);
  return {.time = 1.0 + model.time_cv * cut(radius * std::cos(angle)),
          .power = 1.0 + model.energy_cv * cut(radius * std::sin(angle))};
}

}  // namespace kareus::device::sim
