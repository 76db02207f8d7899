#include "device/sim/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace kareus::device::sim {
namespace {

using workload::Direction;
using workload::Operator;
using workload::OperatorKind;

/// (a^p + b^p)^(1/p), without overflow for the times and exponents that occur.
double smooth_maximum(double a, double b, double p) {
  const double larger = std::max(a, b);
  if (larger <= 0.0) return 0.0;
  return larger * std::pow(1.0 + std::pow(std::min(a, b) / larger, p), 1.0 / p);
}

double ceil_divide(double a, double b) {
  return std::ceil(a / b);
}

/// How many times longer the products of a linear operator take than their operations at the full rate: the inner
/// dimension has to fill the pipeline, and the last wave of tiles does not fill the SMs.
double product_loss(const ComputeModel& model, const Operator& op, int sms) {
  double work = 0.0;
  double lost = 0.0;
  for (const workload::MatrixShape& shape : op.products) {
    const auto m = static_cast<double>(shape.m);
    const auto n = static_cast<double>(shape.n);
    const auto k = static_cast<double>(shape.k);
    const double tiles = ceil_divide(m, model.tile_rows) * ceil_divide(n, model.tile_columns);
    const double waves = ceil_divide(tiles, sms) * sms / tiles;
    work += m * n * k;
    lost += m * n * k * (k + model.ramp_depth) / k * waves;
  }
  return work > 0.0 ? lost / work : 1.0;
}

double relative_clock(const DeviceDescription& device, Clock clock) {
  return static_cast<double>(clock.mhz) / static_cast<double>(device.supported.highest.mhz);
}

/// Floating-point rate of the class on all SMs, operations per second.
double class_rate(const DeviceDescription& device, const Operator& op, Clock clock) {
  const double relative = relative_clock(device, clock);
  switch (classify(op.kind)) {
    case KernelClass::gemm:
      return device.rates.compute.si() * device.compute.gemm_efficiency * relative;
    case KernelClass::attention: {
      const double efficiency = op.direction == Direction::forward ? device.compute.attention_forward_efficiency
                                                                   : device.compute.attention_backward_efficiency;
      return device.rates.compute.si() * efficiency * relative;
    }
    case KernelClass::streaming:
    case KernelClass::collective:
      return device.compute.vector_rate.si() * relative;
  }
  KAREUS_CHECK(false);
}

/// Bandwidth that a share can draw, bytes per second: limited by what its SMs and their clock request, and by what the
/// collective leaves.
double share_bandwidth(const DeviceDescription& device, const Share& share) {
  const double achieved = device.rates.memory.si() * device.memory.efficiency;
  const double by_sms = std::min(1.0, static_cast<double>(share.sms) / device.memory.saturating_sms);
  const double by_clock =
      std::min(1.0, static_cast<double>(share.clock.mhz) / static_cast<double>(device.memory.full_bandwidth_clock.mhz));
  return std::min(achieved * by_sms * by_clock, achieved - share.memory_taken);
}

}  // namespace

KernelClass classify(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::norm:
    case OperatorKind::rope:
    case OperatorKind::activation:
    case OperatorKind::embedding:
    case OperatorKind::loss:
      return KernelClass::streaming;
    case OperatorKind::linear:
      return KernelClass::gemm;
    case OperatorKind::attention:
      return KernelClass::attention;
    case OperatorKind::all_reduce:
    case OperatorKind::all_gather:
    case OperatorKind::reduce_scatter:
      return KernelClass::collective;
  }
  KAREUS_CHECK(false);
}

KernelCost compute_cost(const DeviceDescription& device, const Operator& op, const Share& share) {
  const KernelClass kind = classify(op.kind);
  const double rate = class_rate(device, op, share.clock);
  const double loss = kind == KernelClass::gemm ? product_loss(device.compute, op, share.sms) : 1.0;
  const double all_sms = op.work.si() / rate;
  const double compute = all_sms * loss * device.sm_total / share.sms;
  const double memory = op.traffic.si() / share_bandwidth(device, share);
  const double seconds =
      smooth_maximum(compute, memory, device.compute.roofline_sharpness) + device.compute.kernel_gap.si();
  if (seconds <= 0.0) return {};
  const double streamed = op.traffic.si() / (device.rates.memory.si() * device.memory.efficiency);
  // SMs of a streaming kernel work as fast as data arrives; tensor cores work while they multiply, not while a tile
  // fills and drains.
  const double busy = kind == KernelClass::streaming ? std::max(streamed, all_sms) : all_sms;
  return {.seconds = seconds, .sm_activity = busy / seconds, .memory_activity = streamed / seconds};
}

double wire_bytes(const Operator& op) {
  const double ranks = op.ranks;
  const double passes = op.kind == OperatorKind::all_reduce ? 2.0 : 1.0;
  return op.message.si() * passes * (ranks - 1.0) / ranks;
}

double collective_seconds(const DeviceDescription& device, const Operator& op, int sms, Clock clock) {
  const CommunicationModel& model = device.communication;
  const double peers = op.ranks - 1.0;
  const double per_sm = std::min(model.per_sm_rate.si() * peers, model.per_sm_limit.si()) *
                        std::pow(relative_clock(device, clock), model.clock_exponent);
  const double links = std::min(model.bus_bandwidth.si(), model.peer_bandwidth.si() * peers);
  const double bytes = wire_bytes(op);
  return smooth_maximum(bytes / (per_sm * sms), bytes / links, model.sharpness) + model.latency.si();
}

}  // namespace kareus::device::sim
