#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "device/sim/sim_device.hpp"
#include "device/sim/simulation.hpp"
#include "kareus/device_description.hpp"

namespace kareus::device::testing {

inline DeviceDescription description_of(const std::string& name) {
  const std::array<std::filesystem::path, 1> folders{std::filesystem::path(KAREUS_SOURCE_DIR) / "devices"};
  auto description = find_description(name, folders);
  if (!description) throw std::runtime_error(description.error().to_string());
  return std::move(*description);
}

inline const DeviceDescription& a100() {
  static const DeviceDescription description = description_of("a100-sxm4-40gb");
  return description;
}

inline DeviceDescription quiet_a100() {
  DeviceDescription description = a100();
  description.noise = {};
  return description;
}

inline DeviceDescription uncapped_a100() {
  DeviceDescription description = quiet_a100();
  description.power.cap = Watts(1e6);
  return description;
}

inline workload::Operator linear(std::string name, std::int64_t m, std::int64_t n, std::int64_t k) {
  workload::Operator op;
  op.name = std::move(name);
  op.kind = workload::OperatorKind::linear;
  const auto mm = static_cast<double>(m), nn = static_cast<double>(n), kk = static_cast<double>(k);
  op.work = Flops(2.0 * mm * nn * kk);
  op.traffic = Bytes(2.0 * (mm * kk + kk * nn + mm * nn));
  op.products = {{m, n, k}};
  return op;
}

inline workload::Operator streaming(std::string name, workload::OperatorKind kind, double bytes) {
  workload::Operator op;
  op.name = std::move(name);
  op.kind = kind;
  op.work = Flops(bytes / 2.0);
  op.traffic = Bytes(bytes);
  return op;
}

inline workload::Operator attention(double flops, double bytes) {
  workload::Operator op;
  op.name = "attention";
  op.kind = workload::OperatorKind::attention;
  op.work = Flops(flops);
  op.traffic = Bytes(bytes);
  return op;
}

inline workload::Operator collective(workload::OperatorKind kind, int ranks, double message_bytes) {
  workload::Operator op;
  op.name = "communication";
  op.kind = kind;
  op.group = workload::Group::tensor;
  op.ranks = ranks;
  op.message = Bytes(message_bytes);
  return op;
}

inline workload::Operator all_reduce(int ranks, double message_bytes) {
  return collective(workload::OperatorKind::all_reduce, ranks, message_bytes);
}

/// Forward attention with its all-reduce: hidden 2048, 32 heads of 64, TP2, nanobatch 2, sequence 4096, as in the
/// published sweep. Attention is not causal there.
inline Work attention_partition() {
  constexpr double kTokens = 2.0 * 4096.0;
  constexpr double kHidden = 2048.0;
  Work work;
  work.name = "fwd_attn";
  work.compute = {streaming("bda", workload::OperatorKind::norm, 7.0 * kTokens * kHidden),
                  streaming("norm", workload::OperatorKind::norm, 4.0 * kTokens * kHidden),
                  linear("linear_qkv", 8192, 3072, 2048),
                  streaming("rope", workload::OperatorKind::rope, 4.0 * kTokens * 3072.0),
                  attention(4.0 * 2.0 * 4096.0 * 4096.0 * 1024.0, 4.0 * kTokens * 2.0 * 1024.0),
                  linear("linear_proj", 8192, 2048, 1024)};
  work.slots = {{"norm_0", 0}, {"linear_0", 2}, {"rope_0", 3}, {"attn_0", 4}, {"linear_1", 5}};
  work.communication = all_reduce(2, kTokens * kHidden * 2.0);
  return work;
}

inline Execution at(int mhz) {
  return {.clock = Clock{mhz}, .config = std::nullopt};
}
inline Execution at(int mhz, int sms, std::string slot) {
  return {.clock = Clock{mhz}, .config = schedule::PartitionConfig{SmCount{sms}, std::move(slot)}};
}

/// The simulation, which must succeed.
inline sim::Simulation simulated(const DeviceDescription& device, const Work& work, const Execution& execution,
                                 const sim::SimulationOptions& options = {}) {
  auto simulation = sim::simulate(device, work, execution, options);
  if (!simulation) throw std::runtime_error(simulation.error().to_string());
  return std::move(*simulation);
}

/// Work of one operator.
inline Work only(workload::Operator op) {
  Work work;
  work.name = op.name;
  work.compute = {std::move(op)};
  return work;
}

inline bool mentions(const Error& error, const std::string& text) {
  return error.to_string().find(text) != std::string::npos;
}

}  // namespace kareus::device::testing
