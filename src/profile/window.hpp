#pragma once

#include <optional>
#include <string>

#include "kareus/device.hpp"
#include "kareus/profile.hpp"

namespace kareus::profile {

/// What one pass of the protocol measured.
struct Window {
  Seconds elapsed;
  Joules energy;
  Celsius temperature;  ///< before it
  long repetitions = 1;
  double energy_interval = 0.0;  ///< half-width of the 95% confidence interval over the energy; 0 = not known
  bool throttled = false;
  bool censored = false;  ///< cut short as hopeless
};

/// A window, or why it is no measurement.
struct Attempt {
  std::optional<Window> window;
  std::string fault;      ///< set without a window
  bool transient = true;  ///< false: the device refuses this configuration, so that trying again is of no use
};

/// Locks the clock of a device and unlocks it when it goes, whatever happens in between.
class ClockLock {
 public:
  explicit ClockLock(device::Device& device) : device_(&device) {}
  ClockLock(const ClockLock&) = delete;
  ClockLock& operator=(const ClockLock&) = delete;
  ~ClockLock();
  Result<void> lock(Clock clock) { return device_->lock_clock(clock); }
  /// Unlocks now, and reports what the device says.
  Result<void> release();

 private:
  device::Device* device_;
  bool released_ = false;
};

/// One pass of the protocol over `work`, on a locked clock: calibrate, cool down, warm up, measure a window (Kareus,
/// section 5.3). Errors: what any configuration would meet.
Result<Attempt> measure_work(device::Device& device, const Protocol& protocol, const device::Work& work,
                             const device::Execution& execution);

/// One window of a device that is ready and blocked. Errors: as above.
Result<Attempt> measure_blocked(device::Device& device, const Protocol& protocol);

}  // namespace kareus::profile
