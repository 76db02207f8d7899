#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "device/sim/sim_device.hpp"
#include "kareus/device_description.hpp"
#include "kareus/planner.hpp"

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
class RefusingDevice final : public device::Device {
 public:
  using Refuse = std::function<Result<void>(const device::Work&, const device::Execution&)>;
  RefusingDevice(std::unique_ptr<device::Device> inner, Refuse refuse)
      : inner_(std::move(inner)), refuse_(std::move(refuse)) {}

  const device::DeviceInfo& info() const override { return inner_->info(); }
  Result<void> lock_clock(Clock clock) override { return inner_->lock_clock(clock); }
  Result<void> unlock_clock() override { return inner_->unlock_clock(); }
  Result<Joules> energy_counter() override { return inner_->energy_counter(); }
  Result<Celsius> temperature() override { return inner_->temperature(); }
  Result<Seconds> now() override { return inner_->now(); }
  Result<void> idle(Seconds duration) override { return inner_->idle(duration); }
  Result<void> block(Seconds duration) override { return inner_->block(duration); }
  Result<device::RunResult> run(const device::Work& work, const device::Execution& execution,
                                long repetitions) override {
    KAREUS_RETURN_IF_ERROR(refuse_(work, execution));
    return inner_->run(work, execution, repetitions);
  }

 private:
  std::unique_ptr<device::Device> inner_;
  Refuse refuse_;
};

inline device::OpenDevice refusing(RefusingDevice::Refuse refuse) {
  return [refuse = std::move(refuse)](std::uint64_t seed) -> Result<std::unique_ptr<device::Device>> {
    return std::make_unique<RefusingDevice>(simulated()(seed).value(), refuse);
  };
}

}  // namespace kareus::planner
