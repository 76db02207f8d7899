#pragma once

#include "device/sim/kernels.hpp"
#include "kareus/device_description.hpp"

namespace kareus::device::sim {

/// Core voltage over its minimum.
double relative_voltage(const DeviceDescription& device, Clock clock);

/// Watts of the clock tree: runs with the clock, work or not.
double clock_tree_power(const DeviceDescription& device, Clock clock);

/// Watts of leakage at a die temperature.
double leakage_power(const DeviceDescription& device, double degrees);

/// Watts of a GPU that is ready and blocked.
double static_power(const DeviceDescription& device, Clock clock, double degrees);

/// Watts that a compute kernel adds.
double kernel_power(const DeviceDescription& device, KernelClass kind, const KernelCost& cost, Clock clock);

/// Watts that a collective on `sms` SMs adds while it takes `seconds`.
double collective_power(const DeviceDescription& device, const workload::Operator& op, int sms, double seconds,
                        Clock clock);

}  // namespace kareus::device::sim
