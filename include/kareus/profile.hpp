#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/quantity.hpp"
#include "kareus/result.hpp"

namespace kareus::profile {

/// How one configuration is measured (Kareus, section 5.3): lock the clock and let it settle, time a few repetitions,
/// cool down, warm up, then repeat back to back for at least a window and divide the energy counter's difference.
struct Protocol {
  Seconds settle{2.0};
  long calibration_warmup = 10;
  long calibration_repetitions = 100;
  Seconds cooldown{5.0};
  long warmup = 10;
  Seconds window{5.0};
  Seconds static_power_window{60.0};

  friend bool operator==(const Protocol&, const Protocol&) = default;
};

enum class Status {
  ok,
  throttled,  ///< a power or thermal limit lowered the clock: true for this configuration, but not of its clock
  failed,     ///< the device refused or returned something that is no measurement; `message` says what
};
std::string to_string(Status status);

/// Measured cost of one execution of a work, on one GPU of the group.
struct Measurement {
  std::string work;
  device::Execution execution;
  Status status = Status::ok;
  std::string message;
  Seconds time;         ///< per repetition; unset (0) when failed
  Joules energy;        ///< per repetition, total; unset (0) when failed
  Celsius temperature;  ///< before the window
  Seconds window;       ///< length of the measured window
  long repetitions = 0;
  Seconds spent;         ///< device time that the whole measurement took
  std::string found_by;  ///< what asked for it: a pass of the search, or empty

  bool usable() const { return status != Status::failed; }
  Joules effective_energy(Watts static_power) const { return energy - static_power * time; }
};

/// The measurements of a run, in a SQLite file; each is on disk before insert() returns.
class Store {
 public:
  /// Opens or creates. `identity` names the workload, device, seed and protocol that the measurements belong to.
  /// Errors: bad_input for a file that is no store, of a newer version or of another identity (names both); device when
  /// it cannot be written or while another process has it open. A file that is refused is not changed.
  static Result<Store> open(const std::filesystem::path& path, const std::string& identity);
  /// Opens a store that exists, whatever its identity, to read it. Errors: those of open(), and bad_input when absent.
  static Result<Store> open_existing(const std::filesystem::path& path);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Thread safe. A family is what is measured on one device, in order; `device_checkpoint` is the state of that device
  /// after the measurement (see Device::checkpoint).
  Result<void> insert(const Measurement& measurement, const std::string& family, const std::string& device_checkpoint);
  /// Measurements of one work, in the order they were made; all works' when `work` is empty.
  Result<std::vector<Measurement>> measurements(const std::string& work) const;
  /// The measurement of a work under one execution, the latest when there are several and a usable one before a failed.
  Result<std::optional<Measurement>> find(const std::string& work, const device::Execution& execution) const;
  /// State of the family's device after its last measurement, if there is one.
  Result<std::optional<std::string>> device_checkpoint(const std::string& family) const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Measures works on one device by the protocol and keeps what it measured in the store; what the store already holds
/// is returned and not measured again.
class Profiler {
 public:
  /// Restores the device to the state after the family's last stored measurement.
  static Result<Profiler> create(device::Device& device, Store& store, Protocol protocol, std::string family);

  /// Errors: device when the device or the store refuses in a way that another configuration would meet too. A
  /// configuration that fails by itself is a measurement with Status::failed.
  Result<Measurement> measure(const device::Work& work, const device::Execution& execution,
                              const std::string& found_by);
  /// Power of a GPU that is ready and blocked, at the given clock; stored as the work `static_power`.
  Result<Watts> static_power(Clock clock);

 private:
  Profiler(device::Device& device, Store& store, Protocol protocol, std::string family);
  device::Device* device_;
  Store* store_;
  Protocol protocol_;
  std::string family_;
};

}  // namespace kareus::profile
