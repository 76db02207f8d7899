#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "device/sim/sim_device.hpp"
#include "kareus/device_description.hpp"
#include "kareus/planner.hpp"
#include "support/wrapped_device.hpp"

namespace kareus::planner {

inline workload::Workload testbed(const std::string& name) {
  return workload::read_workload(std::filesystem::path(KAREUS_SOURCE_DIR) / "workloads" / (name + ".toml")).value();
}

inline device::DeviceDescription a100() {
  return device::read_description(std::filesystem::path(KAREUS_SOURCE_DIR) / "devices" / "a100-sxm4-40gb.toml").value();
}

inline device::OpenDevice simulated() {
  return [description = a100()](std::uint64_t seed) -> Result<std::unique_ptr<device::Device>> {
    return device::make_sim_device(description, seed);
  };
}

inline profile::Store memory_store() {
  return profile::Store::open(":memory:", "test").value();
}

/// A device whose runs may be refused.
class RefusingDevice final : public device::WrappedDevice {
 public:
  using Refuse = std::function<Result<void>(const device::Work&, const device::Execution&)>;
  RefusingDevice(std::unique_ptr<device::Device> inner, Refuse refuse)
      : WrappedDevice(std::move(inner)), refuse_(std::move(refuse)) {}

  Result<device::RunResult> run(const device::Work& work, const device::Execution& execution,
                                long repetitions) override {
    KAREUS_RETURN_IF_ERROR(refuse_(work, execution));
    return WrappedDevice::run(work, execution, repetitions);
  }

 private:
  Refuse refuse_;
};

inline device::OpenDevice refusing(RefusingDevice::Refuse refuse) {
  return [refuse = std::move(refuse)](std::uint64_t seed) -> Result<std::unique_ptr<device::Device>> {
    return std::make_unique<RefusingDevice>(simulated()(seed).value(), refuse);
  };
}

}  // namespace kareus::planner
