#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/quantity.hpp"
#include "kareus/result.hpp"

namespace kareus::device {

/// How well a constant of a device is known.
enum class Grade {
  measured,  ///< read off a measurement or a data sheet of this device
  fitted,    ///< fitted to measurements of this device
  scaled,    ///< carried over from another device by a nominal ratio
  assumed,   ///< no evidence; a plausible value
};
std::string to_string(Grade grade);

/// Where one constant of a description comes from, for reports.
struct Constant {
  std::string name;  ///< `section.key` of the file
  double value = 0.0;
  std::string source;
  Grade grade = Grade::assumed;
  std::optional<std::pair<double, double>> range{};  ///< the value lies between, as far as is known
};

/// Core clocks from `lowest` to `highest`, `step_mhz` apart.
struct ClockRange {
  Clock lowest;
  Clock highest;
  int step_mhz = 1;

  bool contains(Clock clock) const;
  /// The highest clock of the range that is not above `clock`; `lowest` when all are.
  Clock at_most(Clock clock) const;
  std::vector<Clock> descending() const;
};

/// Time of a compute kernel that runs alone: (t_c^p + t_m^p)^(1/p) + gap.
struct ComputeModel {
  double gemm_efficiency = 0.0;                ///< of the nominal rate, large products, full waves
  double attention_forward_efficiency = 0.0;   ///< of the nominal rate
  double attention_backward_efficiency = 0.0;  ///< of the nominal rate
  FlopsPerSecond vector_rate;                  ///< outside the tensor cores, at the highest clock, all SMs
  double ramp_depth = 0.0;                     ///< a product of inner size k reaches k / (k + ramp_depth)
  int tile_rows = 0;                           ///< of the output tile that one SM computes at a time
  int tile_columns = 0;
  double roofline_sharpness = 0.0;  ///< p
  Seconds kernel_gap;               ///< between two kernels of one stream
};

/// Bandwidth of the GPU's memory as kernels see it.
struct MemoryModel {
  double efficiency = 0.0;     ///< achieved of the nominal rate
  int saturating_sms = 0;      ///< fewer SMs draw proportionally less
  Clock full_bandwidth_clock;  ///< lower clocks draw proportionally less
};

/// Time of a collective on k SMs at clock f: ((b/k)^s + sat^s)^(1/s) + latency, with b = wire bytes / per-SM rate and
/// sat = wire bytes / bandwidth, the least of the bus's and all peers'.
struct CommunicationModel {
  BytesPerSecond per_sm_rate;   ///< wire bytes of one SM at the highest clock, for each peer of the group
  BytesPerSecond per_sm_limit;  ///< of one SM, whatever the number of peers
  double clock_exponent = 0.0;  ///< the per-SM rate falls with the clock to this power
  BytesPerSecond bus_bandwidth;
  BytesPerSecond peer_bandwidth;  ///< between two ranks: groups of few do not fill the bus
  double sharpness = 0.0;         ///< s
  Seconds latency;
  double memory_per_wire_byte = 0.0;  ///< memory traffic that one wire byte causes
  SmCount default_sm_count;           ///< what the library takes when nobody decides
};

/// Voltage over its minimum: 1 up to `knee`, above it 1 + rise ((f - knee) / (highest clock - knee))^exponent.
struct VoltageModel {
  Clock knee;
  double rise = 0.0;
  double exponent = 1.0;
};

/// Dynamic power at full activity and the highest clock.
struct ClassPower {
  Watts compute;  ///< SMs busy with work of the class; scales with f V^2
  Watts memory;   ///< memory at its achieved bandwidth; does not depend on the core clock
};

struct PowerModel {
  Watts leakage;  ///< at `leakage_reference`
  Celsius leakage_reference;
  double leakage_per_kelvin = 0.0;  ///< relative
  Watts clock_per_mhz;              ///< clock tree, for each MHz at minimum voltage
  ClassPower gemm;
  ClassPower attention;
  ClassPower streaming;           ///< memory-bound kernels
  Watts communication_per_sm;     ///< at the highest clock
  Joules communication_per_byte;  ///< of wire
  Watts cap;
  double cap_fraction = 1.0;  ///< of the cap that the limiter steers to
  /// Time constant of the limiter. What lasts much longer is limited by its own power, what is much shorter by the mean
  /// power of the execution it belongs to.
  Seconds limiter_response;
  Clock idle_clock;  ///< the core clock without work
};

/// Die over ambient: two first-order poles that share the thermal resistance.
struct ThermalModel {
  Celsius ambient;
  double kelvin_per_watt = 0.0;
  Seconds fast_constant;
  Seconds slow_constant;
  double fast_share = 0.0;
  Celsius slowdown;  ///< above it the highest clock falls by one step per kelvin
};

struct NoiseModel {
  double time_cv = 0.0;    ///< of one run
  double energy_cv = 0.0;  ///< of one run, at equal time
};

/// What the launching process needs, for measurements that timed each execution by itself, so that no kernel hid it.
/// In the published sweep it is the same in all configurations and at both clocks.
struct HostModel {
  Seconds operator_launch;
  Seconds communication_launch;
  Seconds synchronisation;  ///< once per execution
};

/// Everything that the simulator knows about a device. Read from a file; code holds no constant of a device.
struct DeviceDescription {
  std::string name;
  bool low_confidence = false;  ///< no frequency sweep of the device was available
  ClockRange supported;
  ClockRange searched;
  int sm_total = 0;
  int gpus_per_node = 1;  ///< joined by the fast link
  Bytes memory_capacity;
  std::vector<SmGrant> sm_grants;
  workload::NominalRates rates;
  ComputeModel compute;
  MemoryModel memory;
  CommunicationModel communication;
  VoltageModel voltage;
  PowerModel power;
  ThermalModel thermal;
  NoiseModel noise;
  HostModel host;
  InSitu in_situ;
  Seconds clock_settle;
  Seconds energy_counter_period;
  std::vector<Constant> constants;  ///< all of the above numbers, in file order of the sections

  DeviceInfo info() const;
};

/// Reads `devices/NAME.toml`. Errors: bad_input with every problem of the file: unknown keys, missing or impossible
/// constants, constants without a source or with an unknown grade, values that contradict each other.
Result<DeviceDescription> read_description(const std::filesystem::path& path);
Result<DeviceDescription> parse_description(std::string_view toml, std::string name);

/// The description called `name` in the first of the folders that has it. Errors: bad_input, with the nearest name.
Result<DeviceDescription> find_description(const std::string& name,
                                           std::span<const std::filesystem::path> search_folders);

}  // namespace kareus::device
