#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/config.hpp"
#include "base/text.hpp"
#include "calibrate/table.hpp"
#include "kareus/calibrate.hpp"

namespace kareus::calibrate {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kLeastPartitionRows = 12;  // the values that a sweep determines
constexpr std::size_t kLeastCollectiveRows = 3;
constexpr std::size_t kLeastPowerRows = 4;
constexpr std::size_t kLeastInstructionRows = 8;

constexpr Bounds<double> kMegahertz{.low = 50.0, .high = 5000.0};
constexpr Bounds<double> kSeconds{.low = 1e-7, .high = 3600.0};
constexpr Bounds<double> kExecution{.low = 1e-6, .high = 60.0};
constexpr Bounds<double> kJoules{.low = 1e-6, .high = 1e5};
constexpr Bounds<double> kWatts{.low = 5.0, .high = 3000.0};
constexpr Bounds<double> kCount{.low = 1.0, .high = 4096.0};
constexpr Bounds<double> kIndex{.low = 0.0, .high = 1000.0};
constexpr Bounds<double> kBytes{.low = 1.0, .high = 1e13};
constexpr Bounds<double> kAmount{.low = 0.0, .high = 1e18};

std::optional<workload::OperatorKind> kind_of(const std::string& text) {
  using enum workload::OperatorKind;
  static const std::vector<std::pair<std::string, workload::OperatorKind>> kKinds = {
      {"norm", norm},
      {"rope", rope},
      {"activation", activation},
      {"linear", linear},
      {"attention", attention},
      {"embedding", embedding},
      {"loss", loss},
      {"all_reduce", all_reduce},
      {"all_gather", all_gather},
      {"reduce_scatter", reduce_scatter}};
  for (const auto& [name, kind] : kKinds) {
    if (name == text) return kind;
  }
  return std::nullopt;
}

workload::OperatorKind read_kind(ConfigReader& reader, bool communication) {
  const std::string text = reader.text("kind");
  const auto kind = kind_of(text);
  if (kind && workload::is_communication(*kind) == communication) return *kind;
  if (!text.empty()) {
    reader.report("kind", fmt::format("'{}' is no kind of {}", text, communication ? "communication" : "compute"),
                  communication ? "one of all_reduce, all_gather, reduce_scatter"
                                : "one of norm, rope, activation, linear, attention, embedding, loss");
  }
  return communication ? workload::OperatorKind::all_reduce : workload::OperatorKind::norm;
}

workload::Operator read_compute(ConfigReader& reader, bool& fitted) {
  workload::Operator op;
  op.name = reader.text("name");
  op.kind = read_kind(reader, false);
  fitted = reader.boolean_or("fitted", false);
  if (op.kind == workload::OperatorKind::linear) {
    const Bounds<std::int64_t> extent{.low = 1, .high = 1 << 28};
    const workload::MatrixShape shape{
        .m = reader.integer("m", extent), .n = reader.integer("n", extent), .k = reader.integer("k", extent)};
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
    op.products = {shape};
    op.work = Flops(2.0 * m * n * k);
    op.traffic = Bytes(2.0 * (m * k + k * n + m * n));
  } else {
    op.work = Flops(reader.number("flop", kAmount));
    op.traffic = Bytes(reader.number("bytes", kAmount));
  }
  reader.reject_unknown_keys();
  return op;
}

workload::Operator read_communication(ConfigReader& reader) {
  workload::Operator op;
  op.name = "communication";
  op.kind = read_kind(reader, true);
  op.group = workload::Group::tensor;
  op.ranks = static_cast<int>(reader.integer("ranks", {.low = 2, .high = 4096}));
  op.message = Bytes(reader.number("message_bytes", kBytes));
  reader.reject_unknown_keys();
  return op;
}

PartitionSweep read_sweep(ConfigReader& reader, const std::filesystem::path& folder, std::vector<Problem>& problems) {
  PartitionSweep sweep{.name = reader.text("name"),
                       .source = reader.text("source"),
                       .compute = {},
                       .unknown = {},
                       .communication = {},
                       .rows = {}};
  for (ConfigReader& entry : reader.tables("operators")) {
    bool fitted = false;
    sweep.compute.push_back(read_compute(entry, fitted));
    if (fitted) sweep.unknown.push_back(sweep.compute.size() - 1);
  }
  if (auto communication = reader.table("communication")) sweep.communication = read_communication(*communication);
  const Table table = read_table(folder / reader.text("file"),
                                 {{.name = "clock_mhz", .bounds = kMegahertz},
                                  {.name = "launched_with", .bounds = kIndex, .may_be_none = true},
                                  {.name = "joined_before", .bounds = kIndex, .may_be_none = true},
                                  {.name = "sm_count", .bounds = kCount},
                                  {.name = "time_s", .bounds = kExecution},
                                  {.name = "energy_j", .bounds = kJoules}},
                                 "", 4, kLeastPartitionRows, problems);
  const auto index = [](std::optional<double> value) {
    return value ? std::optional(static_cast<std::size_t>(*value)) : std::nullopt;
  };
  const std::vector<bool> held = held_out(sweep.name, table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    sweep.rows.push_back({.clock = Clock{static_cast<int>(*row[0])},
                          .launched_with = index(row[1]),
                          .joined_before = index(row[2]),
                          .sm_count = SmCount{static_cast<int>(*row[3])},
                          .time = Seconds(*row[4]),
                          .energy = Joules(*row[5]),
                          .held_out = held[i],
                          .line = table.lines[i]});
    for (const auto& operation : {sweep.rows.back().launched_with, sweep.rows.back().joined_before}) {
      if (operation && *operation >= sweep.compute.size()) {
        problems.push_back({fmt::format("{}, line {}", sweep.name, table.lines[i]),
                            fmt::format("operator {} is not one of the {} operators", *operation, sweep.compute.size()),
                            "operators count from 0"});
      }
    }
  }
  reader.reject_unknown_keys();
  return sweep;
}

CollectiveTable read_collectives(ConfigReader& reader, const std::filesystem::path& folder,
                                 std::vector<Problem>& problems) {
  CollectiveTable result{.name = reader.text("name"), .source = reader.text("source"), .rows = {}};
  const std::filesystem::path path = folder / reader.text("file");
  const Table table = read_table(path,
                                 {{.name = "ranks", .bounds = {.low = 2.0, .high = 4096.0}},
                                  {.name = "message_bytes", .bounds = kBytes},
                                  {.name = "time_s", .bounds = kSeconds}},
                                 "kind", 2, kLeastCollectiveRows, problems);
  const std::vector<bool> held = held_out(result.name, table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto kind = kind_of(table.texts[i]);
    if (!kind || !workload::is_communication(*kind)) {
      problems.push_back({fmt::format("{}:{}", path.string(), table.lines[i]),
                          fmt::format("'{}' is no kind of communication", table.texts[i]),
                          "one of all_reduce, all_gather, reduce_scatter"});
      continue;
    }
    workload::Operator op;
    op.name = table.texts[i];
    op.kind = *kind;
    op.group = workload::Group::tensor;
    op.ranks = static_cast<int>(*table.rows[i][0]);
    op.message = Bytes(*table.rows[i][1]);
    result.rows.push_back(
        {.operation = op, .time = Seconds(*table.rows[i][2]), .held_out = held[i], .line = table.lines[i]});
  }
  reader.reject_unknown_keys();
  return result;
}

PowerSweep read_powers(ConfigReader& reader, const std::filesystem::path& folder, std::vector<Problem>& problems) {
  PowerSweep sweep{.name = reader.text("name"), .source = reader.text("source"), .bound = {}, .rows = {}};
  const std::string bound = reader.text("bound");
  if (bound == "memory") {
    sweep.bound = Bound::memory;
  } else if (bound != "compute") {
    reader.report("bound", fmt::format("'{}' does not say what limits the kernel", bound), "`compute` or `memory`");
  }
  const Table table = read_table(folder / reader.text("file"),
                                 {{.name = "clock_mhz", .bounds = kMegahertz},
                                  {.name = "cap_w", .bounds = kWatts},
                                  {.name = "time_s", .bounds = kSeconds},
                                  {.name = "power_w", .bounds = kWatts}},
                                 "", 2, kLeastPowerRows, problems);
  const std::vector<bool> held = held_out(sweep.name, table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    sweep.rows.push_back({.clock = Clock{static_cast<int>(*row[0])},
                          .cap = Watts(*row[1]),
                          .time = Seconds(*row[2]),
                          .power = Watts(*row[3]),
                          .held_out = held[i],
                          .line = table.lines[i]});
  }
  reader.reject_unknown_keys();
  return sweep;
}

InstructionProfile read_instructions(ConfigReader& reader, const std::filesystem::path& folder,
                                     std::vector<Problem>& problems) {
  InstructionProfile profile{.name = reader.text("name"), .source = reader.text("source"), .workload = {}, .rows = {}};
  auto workload = workload::read_workload(folder / reader.text("workload"));
  if (!workload) {
    problems.insert(problems.end(), workload.error().problems.begin(), workload.error().problems.end());
  } else {
    profile.workload = std::move(*workload);
  }
  const std::filesystem::path path = folder / reader.text("file");
  const Table table = read_table(path,
                                 {{.name = "stage", .bounds = kIndex},
                                  {.name = "clock_mhz", .bounds = kMegahertz},
                                  {.name = "time_s", .bounds = kExecution},
                                  {.name = "energy_j", .bounds = kJoules}},
                                 "instruction", 2, kLeastInstructionRows, problems);
  const std::vector<bool> held = held_out(profile.name, table.rows.size());
  const auto stages = profile.workload.layers_per_stage.size();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    const std::string place = fmt::format("{}:{}", path.string(), table.lines[i]);
    const bool forward = table.texts[i] == "forward";
    if (!forward && table.texts[i] != "backward") {
      problems.push_back({place, fmt::format("'{}' is no instruction", table.texts[i]), "forward or backward"});
    }
    if (workload && (*row[0] != std::floor(*row[0]) || *row[0] >= static_cast<double>(stages))) {
      problems.push_back(
          {place, fmt::format("stage {} is not one of the {} stages", *row[0], stages), "stages count from 0"});
    }
    profile.rows.push_back({.stage = static_cast<int>(*row[0]),
                            .direction = forward ? workload::Direction::forward : workload::Direction::backward,
                            .clock = Clock{static_cast<int>(*row[1])},
                            .time = Seconds(*row[2]),
                            .energy = Joules(*row[3]),
                            .held_out = held[i],
                            .line = table.lines[i]});
  }
  reader.reject_unknown_keys();
  return profile;
}

}  // namespace

Result<Data> read_data(const std::filesystem::path& folder) {
  auto document = read_config(folder / "calibration.toml");
  if (!document) return tl::unexpected(std::move(document).error());
  std::vector<Problem> problems;
  Data data;
  {
    ConfigReader root(*document, problems);
    if (root.text("format") != "kareus-calibration") root.report("format", "this is no list of measurements");
    root.integer("version", {.low = kVersion, .high = kVersion});
    data.device = root.text("device");
    if (root.has("partition_sweep")) {
      for (ConfigReader& entry : root.tables("partition_sweep")) {
        data.partitions.push_back(read_sweep(entry, folder, problems));
      }
    }
    if (root.has("collectives")) {
      for (ConfigReader& entry : root.tables("collectives")) {
        data.collectives.push_back(read_collectives(entry, folder, problems));
      }
    }
    if (root.has("power_sweep")) {
      for (ConfigReader& entry : root.tables("power_sweep")) {
        data.powers.push_back(read_powers(entry, folder, problems));
      }
    }
    if (root.has("instruction_profile")) {
      for (ConfigReader& entry : root.tables("instruction_profile")) {
        data.instructions.push_back(read_instructions(entry, folder, problems));
      }
    }
    root.reject_unknown_keys();
  }
  if (problems.empty() && data.partitions.empty() && data.collectives.empty() && data.powers.empty() &&
      data.instructions.empty()) {
    problems.push_back({document->name, "names no measurements",
                        "add [[partition_sweep]], [[collectives]], [[power_sweep]] or [[instruction_profile]] "
                        "(docs/formats.md)"});
  }
  if (!problems.empty()) {
    shorten(problems);
    return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  }
  return data;
}

}  // namespace kareus::calibrate
