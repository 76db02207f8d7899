#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kareus/partition.hpp"
#include "kareus/quantity.hpp"
#include "kareus/result.hpp"
#include "kareus/schedule.hpp"

namespace kareus::device {

/// SM counts that a communication kernel can be granted, for groups of up to `max_ranks` ranks.
struct SmGrant {
  int max_ranks = 0;
  std::vector<SmCount> counts;  ///< ascending
};

/// What execution inside a training iteration costs beyond back-to-back execution of the same kernels: host, autograd,
/// events and rank skew. Learned from one end-to-end run; neutral when none was made.
struct InSitu {
  double sequential_factor = 1.0;  ///< time of sequential execution over the sum of its kernels
  Seconds partition_cost;          ///< of every executed partition
  Watts power;                     ///< of a GPU during both; neutral together with them
};

/// What a device is and what it can be asked for.
struct DeviceInfo {
  std::string name;           ///< for example `a100-sxm4-40gb`
  std::vector<Clock> clocks;  ///< clocks worth searching, highest first; all are supported by the device
  int sm_total = 0;
  int gpus_per_node = 1;          ///< joined by the fast link; the groups of a stage stay within a node
  Bytes memory_capacity;          ///< of one GPU
  Seconds energy_counter_period;  ///< how often the energy counter moves; windows must be much longer
  workload::NominalRates rates;
  InSitu in_situ;                  ///< applied when measurements are composed to instructions
  std::vector<SmGrant> sm_grants;  ///< ascending in max_ranks; the first that covers a group holds for it

  /// SM counts a communication kernel can be granted for a group of that many ranks, ascending. Empty when no grant
  /// covers a group of that size.
  std::vector<SmCount> sm_counts(int ranks) const;
};

/// Something a device executes back to back: a partition under a configuration, or operators one after another.
struct Work {
  std::string name;                                 ///< identity of the work, unique in a run
  std::vector<workload::Operator> compute;          ///< in execution order; may contain communication when sequential
  std::vector<workload::LaunchSlot> slots;          ///< empty for sequential work
  std::optional<workload::Operator> communication;  ///< the overlapped communication of a partition
};

/// How a piece of work is executed.
struct Execution {
  Clock clock;
  /// Of a partition: SM count and launch slot of the communication. Nothing for sequential work, whose communication
  /// takes the library's default SM count.
  std::optional<schedule::PartitionConfig> config;
};

/// Result of one run of back-to-back repetitions.
struct RunResult {
  Seconds elapsed;         ///< of all repetitions, the slowest rank's
  bool throttled = false;  ///< a power or thermal limit lowered the clock during the run
};

/// A stretch of one execution in which the same kernels run at one clock.
struct TraceInterval {
  Seconds start;
  Seconds duration;
  Clock clock;                         ///< below the execution's where a limit lowered it
  std::optional<std::size_t> compute;  ///< index into Work::compute of what runs
  int compute_sms = 0;                 ///< 0 when none runs
  int communication_sms = 0;           ///< of the overlapped communication, 0 when it does not run
  Watts power;                         ///< of one GPU
};

/// The GPUs of one group, driven as one: clocks are set on all, times are the slowest rank's, energies and
/// temperatures are the mean over the ranks. Calls block. Errors: device (no permission, lost GPU, unsupported).
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  /// Locks the core clock. Errors: bad_input for a clock that the device does not list.
  virtual Result<void> lock_clock(Clock clock) = 0;
  virtual Result<void> unlock_clock() = 0;
  /// Energy since an arbitrary start; moves in steps of energy_counter_period.
  virtual Result<Joules> energy_counter() = 0;
  virtual Result<Celsius> temperature() = 0;
  /// The device's time base, monotonic.
  virtual Result<Seconds> now() = 0;
  /// Leaves the GPUs without work.
  virtual Result<void> idle(Seconds duration) = 0;
  /// Keeps the GPUs ready but blocked, as in a receive whose sender is late: what a pipeline bubble costs.
  virtual Result<void> block(Seconds duration) = 0;
  /// Executes `work` `repetitions` times back to back. Errors: bad_input or infeasible when it is this work under this
  /// execution that cannot be run, so that others may go on.
  virtual Result<RunResult> run(const Work& work, const Execution& execution, long repetitions) = 0;

  /// What runs when in one execution, from 0 without gaps; nothing of a device that cannot tell. Does not count as a
  /// run: no time passes. Errors: those of run().
  virtual Result<std::vector<TraceInterval>> trace(const Work& /*work*/, const Execution& /*execution*/) const {
    return std::vector<TraceInterval>{};
  }

  /// State of a device that lives in this process, so that a run killed and started again sees the device it left.
  /// Real hardware outlives the process and returns an empty text.
  virtual std::string checkpoint() const { return {}; }
  virtual Result<void> restore(const std::string& /*checkpoint*/) { return {}; }
};

/// Opens one more device group of the kind that a workload names. `seed` selects the noise of a simulated device; real
/// ones ignore it.
using OpenDevice = std::function<Result<std::unique_ptr<Device>>(std::uint64_t seed)>;

}  // namespace kareus::device
