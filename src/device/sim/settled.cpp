#include "device/sim/settled.hpp"

namespace kareus::device::sim {

Result<Settled> simulate_settled(const DeviceDescription& device, const Work& work, const Execution& execution) {
  auto first = simulate(device, work, execution, {.temperature = Celsius{kTrainingDegrees}});
  if (!first) return tl::unexpected(std::move(first).error());
  const double watts = (first->energy() / first->time).si();
  const Celsius settled{device.thermal.ambient.degrees + device.thermal.kelvin_per_watt * watts};
  auto second = simulate(device, work, execution, {.temperature = settled});
  if (!second) return tl::unexpected(std::move(second).error());
  return Settled{.simulation = std::move(*second), .temperature = settled};
}

}  // namespace kareus::device::sim
