#pragma once

#include "kareus/device_description.hpp"

namespace kareus::device::sim {

/// Die temperature as two first-order low passes of the power, which share the thermal resistance.
class Thermal {
 public:
  struct State {
    double fast_watts = 0.0;
    double slow_watts = 0.0;
  };

  explicit Thermal(const ThermalModel& model) : model_(model) {}

  double degrees() const { return degrees_of(state_); }
  /// The state after `seconds` of constant power; exact for any duration.
  State after(double seconds, double watts) const;
  double degrees_of(const State& state) const;
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  ThermalModel model_;
  State state_;
};

}  // namespace kareus::device::sim
