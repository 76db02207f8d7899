#include "device/sim/power.hpp"

#include <algorithm>
#include <cmath>

namespace kareus::device::sim {
namespace {

/// f V^2 over its value at the highest clock.
double switching(const DeviceDescription& device, Clock clock) {
  const auto at = [&](Clock c) {
    const double voltage = relative_voltage(device, c);
    return c.mhz * voltage * voltage;
  };
  return at(clock) / at(device.supported.highest);
}

}  // namespace

double relative_voltage(const DeviceDescription& device, Clock clock) {
  const VoltageModel& model = device.voltage;
  if (clock <= model.knee) return 1.0;
  const double along = static_cast<double>(clock.mhz - model.knee.mhz) /
                       static_cast<double>(device.supported.highest.mhz - model.knee.mhz);
  return 1.0 + model.rise * std::pow(along, model.exponent);
}

double clock_tree_power(const DeviceDescription& device, Clock clock) {
  const double voltage = relative_voltage(device, clock);
  return device.power.clock_per_mhz.si() * clock.mhz * voltage * voltage;
}

double leakage_power(const DeviceDescription& device, double degrees) {
  const PowerModel& model = device.power;
  return model.leakage.si() * (1.0 + model.leakage_per_kelvin * (degrees - model.leakage_reference.degrees));
}

double static_power(const DeviceDescription& device, Clock clock, double degrees) {
  return leakage_power(device, degrees) + clock_tree_power(device, clock);
}

double kernel_power(const DeviceDescription& device, KernelClass kind, const KernelCost& cost, Clock clock) {
  const auto of = [&](const ClassPower& power) {
    return power.compute.si() * switching(device, clock) * cost.sm_activity + power.memory.si() * cost.memory_activity;
  };
  switch (kind) {
    case KernelClass::gemm:
      return of(device.power.gemm);
    case KernelClass::attention:
      return of(device.power.attention);
    case KernelClass::streaming:
    case KernelClass::collective:
      return of(device.power.streaming);
  }
  KAREUS_CHECK(false);
}

double collective_power(const DeviceDescription& device, const workload::Operator& op, int sms, double seconds,
                        Clock clock) {
  return device.power.communication_per_sm.si() * sms * switching(device, clock) +
         device.power.communication_per_byte.si() * wire_bytes(op) / seconds;
}

}  // namespace kareus::device::sim
