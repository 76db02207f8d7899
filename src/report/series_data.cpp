#include "report/series_data.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "report/data_values.hpp"

namespace kareus::report {
namespace {

using Json = nlohmann::ordered_json;
using schedule::FrontierFile;
using schedule::InstructionKind;
using schedule::InstructionOption;
using schedule::MicrobatchSchedule;
using schedule::PartitionConfig;

/// What an option's schedule says besides the clock.
struct Launches {
  bool sequential = false;
  std::map<std::string, PartitionConfig> partitions;
  std::map<std::string, PartitionConfig> recomputed;

  friend bool operator==(const Launches&, const Launches&) = default;
};

Json configs_json(const std::map<std::string, PartitionConfig>& configs) {
  Json list = Json::array();
  for (const auto& [type, config] : configs) list.push_back({type, config.sm_count.value, config.launch_slot});
  return list;
}

Json options_json(const std::vector<InstructionOption>& options, Distinct<Launches>& launches) {
  Json list = Json::array();
  for (const InstructionOption& option : options) {
    const MicrobatchSchedule& schedule = option.schedule;
    const std::size_t index = launches.index_of({schedule.sequential, schedule.partitions, schedule.recomputed});
    list.push_back({rounded(option.time.si()), rounded(option.energy.si()), schedule.clock.mhz, index});
  }
  return list;
}

/// A forward of microbatch m is m, a backward -m - 1.
Json order_json(const FrontierFile& file) {
  Json stages = Json::array();
  for (const auto& order : file.order) {
    Json stage = Json::array();
    for (const auto& [kind, microbatch] : order) {
      stage.push_back(kind == InstructionKind::forward ? microbatch : -microbatch - 1);
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

void append_choices(Json& list, const FrontierFile& file, std::size_t stage, const std::vector<std::uint32_t>& choices,
                    InstructionKind kind) {
  const std::size_t limit = file.stages[stage].of(kind).size();
  std::int64_t repeats = 0;
  std::int64_t last = -1;
  const auto flush = [&] {
    if (repeats > 0) list.push_back(-repeats);
    repeats = 0;
  };
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (file.order[stage][i].kind != kind) continue;
    KAREUS_CHECK(choices[i] < limit);
    if (choices[i] == last) {
      ++repeats;
      continue;
    }
    flush();
    last = choices[i];
    list.push_back(last);
  }
  flush();
}

Json choices_json(const FrontierFile& file, const schedule::FrontierPoint& point) {
  KAREUS_CHECK(point.choices.size() == file.stages.size());
  Json stages = Json::array();
  for (std::size_t stage = 0; stage < point.choices.size(); ++stage) {
    KAREUS_CHECK(point.choices[stage].size() == file.order[stage].size());
    Json list = Json::array();
    append_choices(list, file, stage, point.choices[stage], InstructionKind::forward);
    append_choices(list, file, stage, point.choices[stage], InstructionKind::backward);
    stages.push_back(std::move(list));
  }
  return stages;
}

Json points_json(const FrontierFile& file) {
  Json list = Json::array();
  for (const schedule::FrontierPoint& point : file.points) {
    list.push_back({{"time_s", finite(point.time.si())},
                    {"energy_j", finite(point.energy.si())},
                    {"static_j", finite(point.static_energy.si())},
                    {"dynamic_j", finite(point.dynamic_energy.si())},
                    {"bound_j", finite(point.bound.si())},
                    {"watts_per_second_saved", finite(point.watts_per_second_saved)},
                    {"choices", choices_json(file, point)}});
  }
  return list;
}

/// The name that readers know a method by.
std::string display_name(const std::string& method) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames{
      {{"kareus", "Kareus"},
       {"megatron", "Megatron-LM"},
       {"megatron-perseus", "Megatron-LM + Perseus"},
       {"nanobatching-perseus", "Nanobatching + Perseus"}}};
  for (const auto& [known, name] : kNames) {
    if (method == known) return std::string(name);
  }
  return method;
}

/// Power of a GPU that waits, by the clock of what it ran before, for all clocks that the options have.
Json waiting_json(const schedule::FrontierFile& file) {
  Json powers = Json::object();
  for (const schedule::StageOptions& stage : file.stages) {
    for (const std::vector<InstructionOption>* options : {&stage.forward, &stage.backward}) {
      for (const InstructionOption& option : *options) {
        const Clock clock = option.schedule.clock;
        const Watts power = schedule::waiting_power(file.static_power, file.static_power_at, clock);
        powers[std::to_string(clock.mhz)] = finite(power.si());
      }
    }
  }
  return powers;
}

}  // namespace

nlohmann::ordered_json series_data(const FrontierFile& file) {
  KAREUS_CHECK(file.order.size() == file.stages.size());
  Distinct<schedule::StageOptions> option_sets;
  Json stage_options = Json::array();
  for (const schedule::StageOptions& options : file.stages) stage_options.push_back(option_sets.index_of(options));

  Distinct<Launches> launches;
  Json sets = Json::array();
  for (const schedule::StageOptions& options : option_sets.values()) {
    sets.push_back(
        {{"forward", options_json(options.forward, launches)}, {"backward", options_json(options.backward, launches)}});
  }
  Json schedules = Json::array();
  for (const Launches& entry : launches.values()) {
    schedules.push_back({entry.sequential ? 1 : 0, configs_json(entry.partitions), configs_json(entry.recomputed)});
  }

  const schedule::Provenance& origin = file.provenance;
  Json series;
  series["name"] = display_name(origin.method);
  series["method"] = origin.method;
  series["provenance"] = {{"tool_version", origin.tool_version},
                          {"workload", origin.workload},
                          {"workload_hash", origin.workload_hash},
                          {"device", origin.device},
                          {"seed", fmt::format("{}", origin.seed)}};  // beyond what a JavaScript number holds
  series["waiting_w"] = waiting_json(file);
  series["gpus_per_stage"] = file.gpus_per_stage;
  series["pipelines"] = file.pipelines;
  series["energy_scale"] = finite(schedule::job_energy(file, Joules(1)).si());
  series["order"] = order_json(file);
  series["stage_options"] = std::move(stage_options);
  series["option_sets"] = std::move(sets);
  series["schedules"] = std::move(schedules);
  series["points"] = points_json(file);
  return series;
}

}  // namespace kareus::report
