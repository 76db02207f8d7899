#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kareus/device.hpp"

namespace kareus::device {

/// Hands everything on to another device; tests override what they want to go wrong.
class WrappedDevice : public Device {
 public:
  explicit WrappedDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}

  const DeviceInfo& info() const override { return inner_->info(); }
  Result<void> lock_clock(Clock clock) override { return inner_->lock_clock(clock); }
  Result<void> unlock_clock() override { return inner_->unlock_clock(); }
  Result<Joules> energy_counter() override { return inner_->energy_counter(); }
  Result<Celsius> temperature() override { return inner_->temperature(); }
  Result<Seconds> now() override { return inner_->now(); }
  Result<void> idle(Seconds duration) override { return inner_->idle(duration); }
  Result<void> block(Seconds duration) override { return inner_->block(duration); }
  Result<RunResult> run(const Work& work, const Execution& execution, long repetitions) override {
    return inner_->run(work, execution, repetitions);
  }
  Result<std::vector<TraceInterval>> trace(const Work& work, const Execution& execution) const override {
    return inner_->trace(work, execution);
  }
  std::string checkpoint() const override { return inner_->checkpoint(); }
  Result<void> restore(const std::string& checkpoint) override { return inner_->restore(checkpoint); }

 private:
  std::unique_ptr<Device> inner_;
};

}  // namespace kareus::device
