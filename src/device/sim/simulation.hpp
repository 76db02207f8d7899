#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kareus/device_description.hpp"

namespace kareus::device::sim {

/// What surrounds one simulated execution.
struct SimulationOptions {
  Celsius temperature{40.0};  ///< of the die: decides leakage, and with it when a limit is met
  bool limit_power = true;    ///< lower the clock where the cap would be exceeded
  /// Adds what the host needs to launch and to wait for one execution, as when each execution is timed by itself (see
  /// HostModel). Otherwise kernels are launched ahead of time, as in back-to-back execution.
  bool host_exposed = false;
  /// The compute operator that waits until the overlapped communication has ended; nothing: none waits.
  std::optional<std::size_t> joins_before{};
};

/// A stretch of time in which the same kernels run at one clock.
struct Interval {
  Seconds start;
  Seconds duration;
  Clock clock;
  std::optional<std::size_t> compute;  ///< index into Work::compute
  bool communication = false;          ///< the overlapped communication runs
  Watts dynamic;
  Watts clock_tree;
};

/// One execution of a work.
struct Simulation {
  Seconds time;
  Joules dynamic_energy;     ///< of kernels and memory
  Joules clock_tree_energy;  ///< static, follows the clock
  Joules leakage_energy;     ///< static, at the given temperature
  bool throttled = false;
  std::vector<Interval> timeline;  ///< contiguous, from 0 to `time`

  Joules energy() const { return dynamic_energy + clock_tree_energy + leakage_energy; }
};

/// Checks that a device can execute `work` so. Errors: bad_input, naming the work, for an unsupported clock, an unknown
/// launch slot, an SM count that leaves no compute, values that are negative or not finite, communication without
/// peers, an overlapped communication without a configuration or beside communication that runs in place.
Result<void> check_execution(const DeviceDescription& device, const Work& work, const Execution& execution);

/// Executes `work` once: kernels as rates over shared SMs, memory bandwidth and link, advanced from event to event (a
/// compute operator ends, the communication ends, a launch). An overlapped communication starts when the first operator
/// of its slot does, or after all compute; it takes its SMs and 2 to 3 bytes of memory bandwidth per wire byte from
/// compute and is not slowed itself. Where the power that the limiter sees would exceed the cap, an interval runs at the
/// highest supported clock that fits: the limiter sees an interval of length d as if its power differed from the mean of
/// the execution by d / (d + response) of the real difference. A pure function. Errors: those of check_execution.
Result<Simulation> simulate(const DeviceDescription& device, const Work& work, const Execution& execution,
                            const SimulationOptions& options = {});

}  // namespace kareus::device::sim
