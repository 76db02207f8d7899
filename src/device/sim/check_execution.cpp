#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "device/sim/kernels.hpp"
#include "device/sim/simulation.hpp"

namespace kareus::device::sim {
namespace {

bool is_amount(double value) {
  return std::isfinite(value) && value >= 0.0;
}

/// What is wrong with an operator; empty when nothing is.
std::string operator_fault(const workload::Operator& op) {
  if (!is_amount(op.work.si()) || !is_amount(op.traffic.si()) || !is_amount(op.message.si())) {
    return fmt::format("operator '{}' has an amount of work that is negative or not finite", op.name);
  }
  for (const workload::MatrixShape& shape : op.products) {
    if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0) {
      return fmt::format("operator '{}' has a matrix product without extent", op.name);
    }
  }
  if (classify(op.kind) == KernelClass::collective && (op.ranks < 2 || op.message.si() <= 0.0)) {
    return fmt::format("communication '{}' has no peers or no message", op.name);
  }
  return {};
}

bool has_collective_in_place(const Work& work) {
  for (const workload::Operator& op : work.compute) {
    if (classify(op.kind) == KernelClass::collective) return true;
  }
  return false;
}

Result<void> check_config(const DeviceDescription& device, const Work& work, const schedule::PartitionConfig& config) {
  const auto reject = [&](std::string what, std::string hint = {}) {
    return fail(ErrorCode::bad_input, std::move(what), work.name, std::move(hint));
  };
  if (config.sm_count.value < 1 || config.sm_count.value >= device.sm_total) {
    return reject(
        fmt::format("{} SMs for communication: must be from 1 to {}", config.sm_count.value, device.sm_total - 1));
  }
  std::vector<std::string> names{schedule::kNoSlot};
  for (const workload::LaunchSlot& slot : work.slots) {
    if (slot.first_operator >= work.compute.size()) {
      return reject(fmt::format("launch slot '{}' starts after the last operator", slot.name));
    }
    if (slot.name == config.launch_slot) return {};
    names.push_back(slot.name);
  }
  if (config.launch_slot == schedule::kNoSlot) return {};
  return reject(fmt::format("no launch slot '{}'", config.launch_slot), suggestion(config.launch_slot, names));
}

}  // namespace

Result<void> check_execution(const DeviceDescription& device, const Work& work, const Execution& execution) {
  const auto reject = [&](std::string what) { return fail(ErrorCode::bad_input, std::move(what), work.name); };
  if (!device.supported.contains(execution.clock)) {
    return reject(fmt::format("{} does not support a clock of {} MHz", device.name, execution.clock.mhz));
  }
  if (work.compute.empty() && !work.communication) return reject("nothing to execute");
  for (const workload::Operator& op : work.compute) {
    if (auto fault = operator_fault(op); !fault.empty()) return reject(std::move(fault));
  }
  if (!work.communication) return {};
  if (auto fault = operator_fault(*work.communication); !fault.empty()) return reject(std::move(fault));
  if (classify(work.communication->kind) != KernelClass::collective) {
    return reject(fmt::format("'{}' is not communication", work.communication->name));
  }
  if (has_collective_in_place(work)) return reject("communication both overlapped and in place");
  if (!execution.config) return reject("overlapped communication needs an SM count and a launch slot");
  return check_config(device, work, *execution.config);
}

}  // namespace kareus::device::sim
