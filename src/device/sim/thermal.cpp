#include "device/sim/thermal.hpp"

#include <cmath>

namespace kareus::device::sim {

Thermal::State Thermal::after(double seconds, double watts) const {
  const auto approach = [&](double from, Seconds constant) {
    return watts + (from - watts) * std::exp(-seconds / constant.si());
  };
  return {.fast_watts = approach(state_.fast_watts, model_.fast_constant),
          .slow_watts = approach(state_.slow_watts, model_.slow_constant)};
}

double Thermal::degrees_of(const State& state) const {
  const double watts = model_.fast_share * state.fast_watts + (1.0 - model_.fast_share) * state.slow_watts;
  return model_.ambient.degrees + model_.kelvin_per_watt * watts;
}

}  // namespace kareus::device::sim
