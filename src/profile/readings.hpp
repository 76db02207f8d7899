#pragma once

#include <string>

#include "kareus/device.hpp"
#include "kareus/result.hpp"

namespace kareus::profile {

/// More repetitions than any window holds: a shorter time per repetition is a wrong calibration.
inline constexpr double kMostRepetitions = 1e9;

/// Finite and longer than nothing.
bool is_duration(Seconds time);

/// Energy counted between two readings, or what is wrong with them; no energy is wrong.
tl::expected<Joules, std::string> counted(Joules before, Joules after);

/// Executes one work under one execution.
class Runner {
 public:
  Runner(device::Device& device, const device::Work& work, const device::Execution& execution)
      : device_(device), work_(work), execution_(execution) {}

  /// Nothing is executed for no repetitions.
  Result<device::RunResult> run(long repetitions);
  /// Whether the last run failed because of what was to be run.
  bool refused() const { return refused_; }

 private:
  device::Device& device_;
  const device::Work& work_;
  const device::Execution& execution_;
  bool refused_ = false;
};

}  // namespace kareus::profile
