#include "schedule/json_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "schedule/json_names.hpp"

namespace kareus::schedule {
namespace {

constexpr std::int64_t kGreatestClock = 100'000;
constexpr std::int64_t kMostSms = 100'000;
/// Relative difference that summing in another order may leave.
constexpr double kRounding = 1e-9;

std::uint64_t read_seed(ConfigReader& reader) {
  const std::string text = reader.text("seed");
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (!text.empty() && !is_number) reader.report("seed", "'seed' must be a text with a number below 2^64");
  return is_number ? seed : 0;
}

std::map<std::string, PartitionConfig> read_partitions(ConfigReader& reader, std::string_view key) {
  std::map<std::string, PartitionConfig> partitions;
  auto table = reader.table_if(key);
  if (!table) return partitions;
  for (const std::string& type : table->keys()) {
    auto config = table->table(type);
    if (!config) continue;
    PartitionConfig& read = partitions[type];
    read.sm_count = SmCount{static_cast<int>(config->integer("sm_count", {.low = 0, .high = kMostSms}))};
    read.launch_slot = config->text("launch_slot");
    if (read.launch_slot.empty() && config->has("launch_slot")) {
      config->report("launch_slot", "'launch_slot' must not be empty", "'none' launches after all compute");
    }
    config->reject_unknown_keys();
  }
  return partitions;
}

}  // namespace

Result<ConfigDocument> open_document(std::string_view text, std::string name, const std::string& format) {
  auto document = parse_json(text, std::move(name));
  if (!document) return document;
  std::vector<Problem> problems;
  ConfigReader reader(*document, problems);
  if (!reader.has("format")) {
    return fail(ErrorCode::bad_input, fmt::format("is no {} file: 'format' is missing", format), document->name);
  }
  const std::string found = reader.text("format");
  if (problems.empty() && found != format) {
    return fail(ErrorCode::bad_input, fmt::format("has the format '{}', not '{}'", found, format),
                reader.where("format"));
  }
  const std::int64_t version = reader.integer("version", {.low = 1});
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  if (version > kFormatVersion) {
    return fail(ErrorCode::bad_input,
                fmt::format("has version {}, but this program reads version {}", version, kFormatVersion),
                reader.where("version"), "use a newer Kareus, or write the file again with this one");
  }
  return document;
}

Provenance read_provenance(ConfigReader& reader) {
  Provenance provenance;
  auto table = reader.table("provenance");
  if (!table) return provenance;
  provenance.tool_version = table->text("tool_version");
  provenance.workload = table->text("workload");
  provenance.workload_hash = table->text("workload_hash");
  provenance.device = table->text("device");
  provenance.method = table->text("method");
  provenance.seed = read_seed(*table);
  table->reject_unknown_keys();
  return provenance;
}

MicrobatchSchedule read_schedule(ConfigReader& reader) {
  MicrobatchSchedule schedule;
  schedule.clock.mhz = static_cast<int>(reader.integer("clock_mhz", {.low = 1, .high = kGreatestClock}));
  schedule.sequential = reader.boolean("sequential");
  schedule.partitions = read_partitions(reader, "partitions");
  schedule.recomputed = read_partitions(reader, "recomputed");
  if (schedule.sequential && !(schedule.partitions.empty() && schedule.recomputed.empty())) {
    reader.report("sequential", "is executed sequentially, but has configurations of partitions");
  }
  return schedule;
}

Seconds read_time(ConfigReader& reader) {
  const double time = reader.number("time_s");
  // An absent or malformed time is reported already, and then is 0.
  if (time < 0.0 || (time == 0.0 && reader.has("time_s"))) {
    reader.report("time_s", fmt::format("'time_s' must be positive, not {}", time));
  }
  return Seconds(time);
}

PowerByClock read_power_by_clock(ConfigReader& reader) {
  PowerByClock table;
  if (!reader.has("static_power_at")) return table;
  for (ConfigReader& row : reader.tables("static_power_at")) {
    const Clock clock{static_cast<int>(row.integer("clock_mhz", {.low = 1, .high = kGreatestClock}))};
    const Watts power(row.number("power_w", {.low = 0.0}));
    if (!table.empty() && clock <= table.rbegin()->first && clock.mhz > 0) {
      row.report("clock_mhz", fmt::format("the clocks must ascend, but {} MHz follows {} MHz", clock.mhz,
                                          table.rbegin()->first.mhz));
    }
    row.reject_unknown_keys();
    table.emplace(clock, power);
  }
  return table;
}

Energies read_energies(ConfigReader& reader) {
  const bool complete = reader.has("energy_j") && reader.has("static_energy_j") && reader.has("dynamic_energy_j");
  const Energies energies{.total = Joules(reader.number("energy_j")),
                          .constant = Joules(reader.number("static_energy_j", {.low = 0.0})),
                          .dynamic = Joules(reader.number("dynamic_energy_j"))};
  const double sum = energies.constant.si() + energies.dynamic.si();
  const double scale =
      std::max({std::abs(energies.total.si()), energies.constant.si(), std::abs(energies.dynamic.si())});
  if (complete && !(std::abs(energies.total.si() - sum) <= kRounding * scale)) {
    reader.report("energy_j", fmt::format("'energy_j' is {}, but the static and the dynamic energy add up to {}",
                                          energies.total.si(), sum));
  }
  return energies;
}

std::optional<Instruction> OrderChecker::add(const std::string& name, ConfigReader& reader, std::string_view key) {
  const auto instruction = parse_short_name(name);
  if (!instruction) {
    reader.report(key, fmt::format("'{}' is no instruction", name), "write F0 or B0 for microbatch 0");
  } else if (!seen_.insert(*instruction).second) {
    reader.report(key, fmt::format("the instruction {} stands twice in this stage", name));
  }
  return instruction;
}

}  // namespace kareus::schedule
