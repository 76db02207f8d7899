#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/quantity.hpp"
#include "kareus/result.hpp"

namespace kareus::profile {

/// Measures for as long as it takes: the clock settles only when it changed, the device is brought to the temperature
/// that sustained work gave it, and the window ends when the energy is known well enough (docs/method.md).
struct AdaptiveProtocol {
  Seconds settle{0.5};             ///< after a change of the clock
  double energy_interval = 0.005;  ///< half-width of the 95% confidence interval of energy at which a window ends
  Seconds shortest_window{0.5};
  Seconds longest_window{5.0};
  Seconds longest_cooldown{20.0};  ///< back to the reference temperature
  Seconds longest_warm_up{60.0};   ///< to the reference temperature, once per family

  friend bool operator==(const AdaptiveProtocol&, const AdaptiveProtocol&) = default;
};

/// How one configuration is measured. Without `adaptive` as published (Kareus, section 5.3): lock the clock and let it
/// settle, time a few repetitions, cool down, warm up, then repeat back to back for at least a window and divide the
/// energy counter's difference. Static power always has its fixed window.
struct Protocol {
  Seconds settle{2.0};
  long calibration_warmup = 10;
  long calibration_repetitions = 100;
  Seconds cooldown{5.0};
  long warmup = 10;
  Seconds window{5.0};
  Seconds static_power_window{60.0};
  std::optional<AdaptiveProtocol> adaptive;

  /// Device time that one measurement is expected to take.
  Seconds expected_time() const;
  friend bool operator==(const Protocol&, const Protocol&) = default;
};

/// Names of the protocols, the default first: `adaptive`, `published`.
std::vector<std::string> protocol_names();
/// A protocol by name with its usual times; nothing for an unknown name.
std::optional<Protocol> parse_protocol(std::string_view name);

enum class Status {
  ok,
  throttled,  ///< a power or thermal limit lowered the clock: true for this configuration, but not of its clock
  censored,   ///< stopped early because it cannot be of use; time and energy are lower bounds
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
  double energy_interval = 0;  ///< half-width of the 95% confidence interval over the energy; 0 = not known
  Seconds spent;         ///< device time that the whole measurement took
  std::string found_by;  ///< what asked for it: a pass of the search, or empty

  bool usable() const { return status == Status::ok || status == Status::throttled; }
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
  /// Measurements of one family, in the order they were made.
  Result<std::vector<Measurement>> family(const std::string& family) const;
  /// State of the family's device after its last measurement, if there is one.
  Result<std::optional<std::string>> device_checkpoint(const std::string& family) const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Whether a configuration of at least this time and energy is of no use any more, so that its window can be cut short.
using Hopeless = std::function<bool(Seconds time, Joules least_energy)>;

class ClockLock;

/// Measures works on one device by the protocol and keeps what it measured in the store; what the store already holds
/// is returned and not measured again.
class Profiler {
 public:
  /// Restores the device to the state after the family's last stored measurement.
  static Result<Profiler> create(device::Device& device, Store& store, Protocol protocol, std::string family);
  Profiler(Profiler&&) noexcept;
  Profiler& operator=(Profiler&&) noexcept;
  ~Profiler();  ///< unlocks the clock

  /// Errors: device when the device or the store refuses in a way that another configuration would meet too. A
  /// configuration that fails by itself is a measurement with Status::failed. An adaptive protocol asks `hopeless`, if
  /// there is one, as soon as it has a rough energy.
  Result<Measurement> measure(const device::Work& work, const device::Execution& execution, const std::string& found_by,
                              const Hopeless& hopeless = {});
  /// Power of a GPU that is ready and blocked, at the given clock; stored as the work `static_power`. Over `window`
  /// instead of the protocol's where given.
  Result<Watts> static_power(Clock clock, std::optional<Seconds> window = {});
  /// Unlocks the clock, which an adaptive protocol keeps between measurements, and reports what the device says.
  Result<void> finish();

 private:
  Profiler(device::Device& device, Store& store, Protocol protocol, std::string family);
  Result<void> keep(const Measurement& measurement);
  void remember(const Measurement& measurement);
  device::Device* device_;
  Store* store_;
  Protocol protocol_;
  std::string family_;
  std::optional<Clock> clock_;         ///< of the family's last measurement
  std::optional<Celsius> reference_;   ///< temperature before its first window
  std::unique_ptr<ClockLock> lock_;
};

}  // namespace kareus::profile
