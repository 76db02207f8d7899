#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/config.hpp"
#include "base/text.hpp"
#include "planner/profile_input/rows.hpp"

namespace kareus::planner {
namespace {

constexpr int kMostMicrobatches = 1'000'000;

/// Reads the rows of `profile` one by one; a row with a problem gives nothing.
class JsonRow {
 public:
  JsonRow(ConfigReader& reader, std::vector<Problem>& problems) : reader_(reader), problems_(problems) {}

  std::optional<ProfileRow> read() {
    const std::size_t before = problems_.size();
    ProfileRow row;
    row.where = reader_.where("");
    row.instruction.stage = static_cast<int>(reader_.integer("stage", {0, kMostStages - 1}));
    row.instruction.chunk = static_cast<int>(reader_.integer_or("chunk", 0, {0, kMostStages - 1}));
    row.instruction.kind = instruction();
    row.option.clock = Clock{static_cast<int>(reader_.integer("frequency", {1, kMostClock}))};
    row.option.time = Seconds(positive("time"));
    row.option.energy = Joules(positive("energy"));
    for (const char* rank : kRanks) {
      if (!reader_.has(rank)) continue;
      has_ranks = true;
      (void)reader_.integer(rank);
    }
    row.option.configuration = configuration();
    if (problems_.size() != before) return std::nullopt;
    return row;
  }

  bool has_ranks = false;

 private:
  static constexpr std::array<const char*, 4> kRanks{"rank", "dp_rank", "pp_rank", "tp_rank"};

  pipeline::OperationKind instruction() {
    const std::size_t before = problems_.size();
    const std::string text = reader_.text("instruction");
    if (const auto kind = parse_instruction(text)) return *kind;
    if (problems_.size() == before) {
      reader_.report("instruction", fmt::format("'{}' is no instruction", text), suggestion(text, instruction_names()));
    }
    return pipeline::OperationKind::forward;
  }

  double positive(std::string_view key) {
    const std::size_t before = problems_.size();
    const double value = reader_.number(key);
    if (problems_.size() == before && !(value > 0)) {
      reader_.report(key, fmt::format("'{}' must be a positive finite number, not {}", key, value));
    }
    return value;
  }

  std::string configuration() {
    static constexpr std::array<const char*, 6> kKnown{"stage", "chunk", "instruction", "frequency", "time", "energy"};
    std::string text;
    for (const std::string& key : reader_.keys()) {
      const auto is = [&](const char* name) { return key == name; };
      if (std::any_of(kKnown.begin(), kKnown.end(), is) || std::any_of(kRanks.begin(), kRanks.end(), is)) continue;
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, reader_.text(key));
    }
    return text;
  }

  ConfigReader& reader_;
  std::vector<Problem>& problems_;
};

InstructionProfile::Settings read_settings(ConfigReader& root) {
  InstructionProfile::Settings settings;
  if (root.has("schedule")) settings.schedule = root.text("schedule");
  if (root.has("num_micro_batches")) {
    settings.microbatches = static_cast<int>(root.integer("num_micro_batches", {1, kMostMicrobatches}));
  }
  if (root.has("p2p_power")) settings.static_power = Watts(root.number("p2p_power", {.low = 0, .high = 1e100}));
  if (root.has("unit_time")) settings.unit_time = Seconds(root.number("unit_time", {.low = 1e-9, .high = 1e9}));
  if (root.has("noise_factor")) settings.noise_factor = root.number("noise_factor", {.low = 0, .high = 1});
  return settings;
}

}  // namespace

ProfileRows read_json_rows(std::string_view text, std::string name, std::vector<Problem>& problems) {
  ProfileRows result{.name = name, .rows = {}, .has_ranks = false, .stages = {}, .settings = {}};
  const auto document = parse_json(text, std::move(name));
  if (!document) {
    problems = document.error().problems;
    return result;
  }
  ConfigReader root(*document, problems);
  result.settings = read_settings(root);
  // Says how the publisher's own tool would fit these rows; here the caller chooses.
  (void)root.text_or("cost_model", "");
  (void)root.text_or("name", "");
  if (root.has("num_stages")) result.stages = static_cast<int>(root.integer("num_stages", {1, kMostStages}));
  for (ConfigReader& table : root.tables("profile")) {
    JsonRow reader(table, problems);
    if (auto row = reader.read()) result.rows.push_back(std::move(*row));
    result.has_ranks = result.has_ranks || reader.has_ranks;
  }
  root.reject_unknown_keys();
  return result;
}

}  // namespace kareus::planner
