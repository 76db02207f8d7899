#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/config.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "kareus/device_description.hpp"

namespace kareus::device {
namespace {

constexpr Bounds<double> kPositive{.low = 1e-15, .high = 1e18};
constexpr Bounds<double> kNotNegative{.low = 0.0, .high = 1e18};
constexpr Bounds<double> kFraction{.low = 1e-6, .high = 1.0};
constexpr Bounds<double> kExponent{.low = 0.1, .high = 16.0};
constexpr Bounds<double> kDegrees{.low = -50.0, .high = 200.0};
constexpr Bounds<double> kCoefficient{.low = 0.0, .high = 1.0};
constexpr Bounds<double> kMegahertz{.low = 1.0, .high = 10000.0};
constexpr Bounds<double> kSms{.low = 1.0, .high = 4096.0};

constexpr double kMicrosecond = 1e-6;
constexpr double kMillisecond = 1e-3;
constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kPico = 1e-12;

std::optional<Grade> parse_grade(std::string_view text) {
  for (const Grade grade : {Grade::measured, Grade::fitted, Grade::scaled, Grade::assumed}) {
    if (to_string(grade) == text) return grade;
  }
  return std::nullopt;
}

/// One section of a description: a table whose entries are constants `{ value, source, grade }`.
class Section {
 public:
  Section(ConfigReader& root, std::string name, std::vector<Constant>& constants)
      : reader_(root.table(name)), name_(std::move(name)), constants_(&constants) {}
  ~Section() {
    if (reader_) reader_->reject_unknown_keys();
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  double number(std::string_view key, Bounds<double> bounds) {
    auto entry = reader_ ? reader_->table(key) : std::nullopt;
    if (!entry) return 0.0;
    Constant constant{.name = fmt::format("{}.{}", name_, key), .value = entry->number("value", bounds), .source = {}};
    constant.source = entry->text("source");
    if (entry->has("source") && constant.source.empty()) entry->report("source", "'source' must not be empty");
    const std::string grade = entry->text("grade");
    const std::vector<std::string> grades{"measured", "fitted", "scaled", "assumed"};
    if (const auto known = parse_grade(grade)) {
      constant.grade = *known;
    } else if (!grade.empty()) {
      entry->report("grade", fmt::format("unknown grade '{}'", grade), suggestion(grade, grades));
    }
    keep_range(*entry, constant, bounds);
    entry->reject_unknown_keys();
    const double value = constant.value;
    constants_->push_back(std::move(constant));
    return value;
  }

  int whole(std::string_view key, Bounds<double> bounds) {
    const double value = number(key, bounds);
    const int rounded = static_cast<int>(value);
    if (static_cast<double>(rounded) != value) reader_->report(key, fmt::format("'{}' must be a whole number", key));
    return rounded;
  }

  Clock clock(std::string_view key) { return Clock{whole(key, kMegahertz)}; }

  ClassPower class_power(const std::string& kind) {
    return {.compute = Watts(number(kind + "_compute_w", kNotNegative)),
            .memory = Watts(number(kind + "_memory_w", kNotNegative))};
  }

 private:
  static void keep_range(ConfigReader& entry, Constant& constant, Bounds<double> bounds) {
    if (!entry.has("low") && !entry.has("high")) return;
    const double low = entry.number("low", bounds);
    const double high = entry.number("high", bounds);
    if (!entry.has("low") || !entry.has("high")) return;
    if (low > constant.value || high < constant.value) {
      entry.report("value",
                   fmt::format("the value {} is outside of its range from {} to {}", constant.value, low, high),
                   "correct 'low' and 'high'");
    }
    constant.range = {low, high};
  }

  std::optional<ConfigReader> reader_;
  std::string name_;
  std::vector<Constant>* constants_;
};

ClockRange read_range(Section& section, const std::string& name) {
  return {.lowest = section.clock(name + "_lowest_mhz"),
          .highest = section.clock(name + "_highest_mhz"),
          .step_mhz = section.whole(name + "_step_mhz", kMegahertz)};
}

void read_clocks(ConfigReader& root, DeviceDescription& device) {
  Section section(root, "clocks", device.constants);
  device.supported = read_range(section, "supported");
  device.searched = read_range(section, "searched");
  device.clock_settle = Seconds(section.number("settle_us", kNotNegative) * kMicrosecond);
}

void read_grants(ConfigReader& root, DeviceDescription& device) {
  for (ConfigReader& entry : root.tables("sm_grants")) {
    SmGrant grant;
    grant.max_ranks = static_cast<int>(entry.integer("max_ranks", {.low = 2, .high = 1 << 20}));
    const auto first = entry.integer("first", {.low = 1, .high = 4096});
    const auto last = entry.integer("last", {.low = 1, .high = 4096});
    const auto step = entry.integer("step", {.low = 1, .high = 4096});
    for (auto count = first; step > 0 && count > 0 && count <= last; count += step) {
      grant.counts.push_back(SmCount{static_cast<int>(count)});
    }
    if (step > 0 && first > 0 && grant.counts.empty()) entry.report("last", "'last' must not be below 'first'");
    if (!device.sm_grants.empty() && grant.max_ranks <= device.sm_grants.back().max_ranks) {
      entry.report("max_ranks", "'max_ranks' must rise from grant to grant");
    }
    if (last >= device.sm_total && device.sm_total > 0) {
      entry.report("last", fmt::format("'last' must leave compute at least one of {} SMs", device.sm_total));
    }
    entry.reject_unknown_keys();
    device.sm_grants.push_back(std::move(grant));
  }
  if (root.has("sm_grants") && device.sm_grants.empty()) root.report("sm_grants", "'sm_grants' must not be empty");
}

void read_nominal(ConfigReader& root, DeviceDescription& device) {
  Section section(root, "nominal", device.constants);
  device.sm_total = section.whole("sms", kSms);
  device.gpus_per_node = section.whole("gpus_per_node", {.low = 1, .high = 1024});
  device.memory_capacity = Bytes(section.number("memory_gib", kPositive) * kGibi);
  device.rates.compute = FlopsPerSecond(section.number("compute_tflops", kPositive) * kTera);
  device.rates.memory = BytesPerSecond(section.number("memory_gbs", kPositive) * kGiga);
  device.rates.link = BytesPerSecond(section.number("link_gbs", kPositive) * kGiga);
}

void read_compute(ConfigReader& root, DeviceDescription& device) {
  Section section(root, "compute", device.constants);
  ComputeModel& model = device.compute;
  model.gemm_efficiency = section.number("gemm_efficiency", kFraction);
  model.attention_forward_efficiency = section.number("attention_forward_efficiency", kFraction);
  model.attention_backward_efficiency = section.number("attention_backward_efficiency", kFraction);
  model.vector_rate = FlopsPerSecond(section.number("vector_tflops", kPositive) * kTera);
  model.ramp_depth = section.number("ramp_depth", kNotNegative);
  model.tile_rows = section.whole("tile_rows", kSms);
  model.tile_columns = section.whole("tile_columns", kSms);
  model.roofline_sharpness = section.number("roofline_sharpness", {.low = 1.0, .high = 16.0});
  model.kernel_gap = Seconds(section.number("kernel_gap_us", kNotNegative) * kMicrosecond);
}

void read_memory(ConfigReader& root, DeviceDescription& device) {
  Section section(root, "memory", device.constants);
  device.memory.efficiency = section.number("efficiency", kFraction);
  device.memory.saturating_sms = section.whole("saturating_sms", kSms);
  device.memory.full_bandwidth_clock = section.clock("full_bandwidth_clock_mhz");
}

void read_communication(ConfigReader& root, DeviceDescription& device) {
  Section section(root, "communication", device.constants);
  CommunicationModel& model = device.communication;
  model.per_sm_rate = BytesPerSecond(section.number("per_sm_gbs", kPositive) * kGiga);
  model.per_sm_limit = BytesPerSecond(section.number("per_sm_limit_gbs", kPositive) * kGiga);
  model.clock_exponent = section.number("clock_exponent", {.low = 0.0, .high = 4.0});
  model.bus_bandwidth = BytesPerSecond(section.number("bus_gbs", kPositive) * kGiga);
  model.peer_bandwidth = BytesPerSecond(section.number("per_peer_gbs", kPositive) * kGiga);
  model.sharpness = section.number("sharpness", {.low = 1.0, .high = 16.0});
  model.latency = Seconds(section.number("latency_us", kNotNegative) * kMicrosecond);
  model.memory_per_wire_byte = section.number("memory_per_wire_byte", {.low = 0.0, .high = 100.0});
  model.default_sm_count = SmCount{section.whole("default_sms", kSms)};
}

void read_power(ConfigReader& root, DeviceDescription& device) {
  {
    Section section(root, "voltage", device.constants);
    device.voltage.knee = section.clock("knee_mhz");
    device.voltage.rise = section.number("rise", {.low = 0.0, .high = 3.0});
    device.voltage.exponent = section.number("exponent", kExponent);
  }
  Section section(root, "power", device.constants);
  PowerModel& model = device.power;
  model.leakage = Watts(section.number("leakage_w", kPositive));
  model.leakage_reference = Celsius{section.number("leakage_reference_c", kDegrees)};
  model.leakage_per_kelvin = section.number("leakage_per_kelvin", {.low = 0.0, .high = 0.012});
  model.clock_per_mhz = Watts(section.number("clock_w_per_mhz", kNotNegative));
  model.gemm = section.class_power("gemm");
  model.attention = section.class_power("attention");
  model.streaming = section.class_power("streaming");
  model.communication_per_sm = Watts(section.number("communication_w_per_sm", kNotNegative));
  model.communication_per_byte = Joules(section.number("communication_pj_per_byte", kNotNegative) * kPico);
  model.cap = Watts(section.number("cap_w", kPositive));
  model.cap_fraction = section.number("cap_fraction", kFraction);
  model.limiter_response = Seconds(section.number("limiter_ms", kNotNegative) * kMillisecond);
  model.idle_clock = section.clock("idle_clock_mhz");
}

void read_thermal(ConfigReader& root, DeviceDescription& device) {
  Section section(root, "thermal", device.constants);
  ThermalModel& model = device.thermal;
  model.ambient = Celsius{section.number("ambient_c", kDegrees)};
  model.kelvin_per_watt = section.number("kelvin_per_watt", {.low = 1e-6, .high = 10.0});
  model.fast_constant = Seconds(section.number("fast_constant_s", {.low = 1e-3, .high = 1e6}));
  model.slow_constant = Seconds(section.number("slow_constant_s", {.low = 1e-3, .high = 1e6}));
  model.fast_share = section.number("fast_share", kCoefficient);
  model.slowdown = Celsius{section.number("slowdown_c", kDegrees)};
}

void read_measurement(ConfigReader& root, DeviceDescription& device) {
  {
    Section section(root, "noise", device.constants);
    device.noise.time_cv = section.number("time_cv", {.low = 0.0, .high = 0.1});
    device.noise.energy_cv = section.number("energy_cv", {.low = 0.0, .high = 0.1});
  }
  {
    Section section(root, "counter", device.constants);
    device.energy_counter_period = Seconds(section.number("period_s", {.low = 1e-4, .high = 60.0}));
  }
  Section section(root, "host", device.constants);
  device.host.operator_launch = Seconds(section.number("operator_launch_us", kNotNegative) * kMicrosecond);
  device.host.communication_launch = Seconds(section.number("communication_launch_us", kNotNegative) * kMicrosecond);
  device.host.synchronisation = Seconds(section.number("synchronisation_us", kNotNegative) * kMicrosecond);
}

/// Absent until an end-to-end run was learned from.
void read_in_situ(ConfigReader& root, DeviceDescription& device) {
  if (!root.has("in_situ")) return;
  Section section(root, "in_situ", device.constants);
  device.in_situ.sequential_factor = section.number("sequential_factor", {.low = 1.0, .high = 10.0});
  device.in_situ.partition_cost = Seconds(section.number("partition_cost_us", kNotNegative) * kMicrosecond);
  device.in_situ.power = Watts(section.number("power_w", kNotNegative));
}

void check_range(ConfigReader& root, const ClockRange& range, const std::string& name) {
  if (range.highest < range.lowest) {
    root.report("clocks", fmt::format("the highest {} clock is below the lowest", name));
  } else if ((range.highest.mhz - range.lowest.mhz) % range.step_mhz != 0) {
    root.report("clocks", fmt::format("the {} clocks do not end at the highest one", name));
  }
}

/// Contradictions between constants; only called when each of them is fine by itself.
void check_consistency(ConfigReader& root, const DeviceDescription& device) {
  check_range(root, device.supported, "supported");
  check_range(root, device.searched, "searched");
  for (const Clock clock : device.searched.descending()) {
    if (!device.supported.contains(clock)) {
      root.report("clocks", fmt::format("the searched clock {} MHz is not supported", clock.mhz));
      break;
    }
  }
  if (!device.supported.contains(device.power.idle_clock)) {
    root.report("power", fmt::format("the idle clock {} MHz is not supported", device.power.idle_clock.mhz));
  }
  if (device.voltage.knee >= device.supported.highest) {
    root.report("voltage", "the knee must be below the highest supported clock");
  }
  if (device.communication.default_sm_count.value >= device.sm_total) {
    root.report("communication", "'default_sms' must leave compute at least one SM");
  }
  const double taken = device.communication.memory_per_wire_byte * device.communication.bus_bandwidth.si();
  const double available = device.memory.efficiency * device.rates.memory.si();
  if (taken >= 0.9 * available) {
    root.report("communication",
                fmt::format("a collective would take {:.0f} of {:.0f} GB/s of memory bandwidth and leave too little",
                            taken / kGiga, available / kGiga));
  }
  // Below this temperature the linear leakage would turn negative.
  const double coldest = device.power.leakage_reference.degrees - device.thermal.ambient.degrees;
  if (coldest * device.power.leakage_per_kelvin >= 1.0) {
    root.report("power", "leakage would not be positive at the ambient temperature");
  }
  // Leakage heats the die that leaks: past this gain the temperature has no equilibrium.
  if (device.power.leakage.si() * device.power.leakage_per_kelvin * device.thermal.kelvin_per_watt >= 0.5) {
    root.report("thermal", "the feedback from temperature over leakage to power is too strong");
  }
}

Result<DeviceDescription> build(const ConfigDocument& document) {
  std::vector<Problem> problems;
  ConfigReader root(document, problems);
  DeviceDescription device;
  device.name = root.text("name");
  if (root.has("name") && device.name.empty()) root.report("name", "'name' must not be empty");
  device.low_confidence = root.boolean_or("low_confidence", false);
  read_nominal(root, device);
  read_clocks(root, device);
  read_grants(root, device);
  read_compute(root, device);
  read_memory(root, device);
  read_communication(root, device);
  read_power(root, device);
  read_thermal(root, device);
  read_measurement(root, device);
  read_in_situ(root, device);
  root.reject_unknown_keys();
  if (problems.empty()) check_consistency(root, device);
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return device;
}

std::vector<std::string> names_in(std::span<const std::filesystem::path> folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::string to_string(Grade grade) {
  switch (grade) {
    case Grade::measured:
      return "measured";
    case Grade::fitted:
      return "fitted";
    case Grade::scaled:
      return "scaled";
    case Grade::assumed:
      return "assumed";
  }
  KAREUS_CHECK(false);
}

bool ClockRange::contains(Clock clock) const {
  return clock >= lowest && clock <= highest && (clock.mhz - lowest.mhz) % step_mhz == 0;
}

Clock ClockRange::at_most(Clock clock) const {
  if (clock <= lowest) return lowest;
  if (clock >= highest) return highest;
  return Clock{clock.mhz - (clock.mhz - lowest.mhz) % step_mhz};
}

std::vector<Clock> ClockRange::descending() const {
  std::vector<Clock> clocks;
  for (int mhz = highest.mhz; mhz >= lowest.mhz; mhz -= step_mhz) clocks.push_back(Clock{mhz});
  return clocks;
}

DeviceInfo DeviceDescription::info() const {
  return {.name = name,
          .clocks = searched.descending(),
          .sm_total = sm_total,
          .gpus_per_node = gpus_per_node,
          .memory_capacity = memory_capacity,
          .energy_counter_period = energy_counter_period,
          .rates = rates,
          .in_situ = in_situ,
          .sm_grants = sm_grants};
}

Result<DeviceDescription> read_description(const std::filesystem::path& path) {
  auto text = read_file(path, 1U << 20U);
  if (!text) return tl::unexpected(std::move(text).error());
  return parse_description(*text, path.string());
}

Result<DeviceDescription> parse_description(std::string_view toml, std::string name) {
  auto document = parse_toml(toml, std::move(name));
  if (!document) return tl::unexpected(std::move(document).error());
  return build(*document);
}

Result<DeviceDescription> find_description(const std::string& name,
                                           std::span<const std::filesystem::path> search_folders) {
  const bool is_plain_name = !name.empty() && std::filesystem::path(name).filename() == name;
  for (const auto& folder : search_folders) {
    const auto path = folder / (name + ".toml");
    std::error_code error;
    if (is_plain_name && std::filesystem::is_regular_file(path, error)) return read_description(path);
  }
  return fail(ErrorCode::bad_input, fmt::format("no description of a device '{}'", name), {},
              suggestion(name, names_in(search_folders)));
}

}  // namespace kareus::device
