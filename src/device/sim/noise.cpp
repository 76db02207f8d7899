#include "device/sim/noise.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/random.hpp"
#include "base/text.hpp"

namespace kareus::device::sim {
namespace {

double cut(double sigmas) {
  return std::clamp(sigmas, -4.0, 4.0);
}

}  // namespace

NoiseDraw draw_noise(const NoiseModel& model, std::uint64_t seed, std::uint64_t run) {
  if (model.time_cv == 0.0 && model.energy_cv == 0.0) return {};
  std::mt19937_64 engine(derive_seed(seed, "noise:" + hex(run)));
  const double first = open_uniform(engine());
  const auto [radius, angle] = normal_pair(first, open_uniform(engine()));
  return {.time = 1.0 + model.time_cv * cut(radius * std::cos(angle)),
          .power = 1.0 + model.energy_cv * cut(radius * std::sin(angle))};
}

}  // namespace kareus::device::sim
