#pragma once

#include "kareus/device_description.hpp"

namespace kareus::device::sim {

/// How an operator uses the GPU.
enum class KernelClass { gemm, attention, streaming, collective };
KernelClass classify(workload::OperatorKind kind);

/// What a compute kernel has to itself while it runs.
struct Share {
  Clock clock;
  int sms = 0;
  double memory_taken = 0.0;  ///< bytes per second of memory bandwidth that a collective takes
};

/// Cost of a compute kernel at a constant share.
struct KernelCost {
  double seconds = 0.0;          ///< gap included
  double sm_activity = 0.0;      ///< mean over `seconds`, 1 = all SMs busy with work of the class
  double memory_activity = 0.0;  ///< mean over `seconds`, 1 = memory at its achieved bandwidth
};

/// Time of a compute operator: a smooth roofline over the SMs and the memory bandwidth of the share. Energy follows the
/// work done: sm_activity x seconds does not depend on the share for tensor-core kernels, at a given clock.
KernelCost compute_cost(const DeviceDescription& device, const workload::Operator& op, const Share& share);

/// Bytes that each rank sends over its links: 2 (n-1)/n of the message for an all-reduce, (n-1)/n otherwise (ring).
double wire_bytes(const workload::Operator& op);

/// Seconds of a collective on `sms` SMs.
double collective_seconds(const DeviceDescription& device, const workload::Operator& op, int sms, Clock clock);

}  // namespace kareus::device::sim
