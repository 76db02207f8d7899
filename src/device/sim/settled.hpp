#pragma once

#include "device/sim/simulation.hpp"

namespace kareus::device::sim {

constexpr double kTrainingDegrees = 60.0;  ///< of a GPU that trains: where settling begins

/// One execution, and the temperature at which it was simulated.
struct Settled {
  Simulation simulation;
  Celsius temperature;
};

/// One execution at the temperature that repeating it settles at; one correction of the first guess is within a few
/// tenths of a kelvin of it. Errors: those of simulate().
Result<Settled> simulate_settled(const DeviceDescription& device, const Work& work, const Execution& execution);

}  // namespace kareus::device::sim
