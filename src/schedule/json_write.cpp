#include <cmath>

#include "kareus/schedule.hpp"
#include "schedule/json_layout.hpp"
#include "schedule/json_names.hpp"

namespace kareus::schedule {
namespace {

using Json = nlohmann::ordered_json;

double finite(double value) {
  KAREUS_CHECK(std::isfinite(value));
  return value;
}

Json write(const Provenance& provenance) {
  return {{"tool_version", provenance.tool_version},
          {"workload", provenance.workload},
          {"workload_hash", provenance.workload_hash},
          {"device", provenance.device},
          {"method", provenance.method},
          // A text, because many readers of JSON keep only 53 bits of a number.
          {"seed", std::to_string(provenance.seed)}};
}

Json write(const PowerByClock& table) {
  Json json = Json::array();
  for (const auto& [clock, power] : table) {
    json.push_back({{"clock_mhz", clock.mhz}, {"power_w", finite(power.si())}});
  }
  return json;
}

Json write(const std::map<std::string, PartitionConfig>& partitions) {
  Json json = Json::object();
  for (const auto& [type, config] : partitions) {
    json[type] = {{"sm_count", config.sm_count.value}, {"launch_slot", config.launch_slot}};
  }
  return json;
}

/// Adds the keys of a schedule to the object of what is executed by it.
void add(const MicrobatchSchedule& schedule, Json& json) {
  json["clock_mhz"] = schedule.clock.mhz;
  json["sequential"] = schedule.sequential;
  if (!schedule.partitions.empty()) json["partitions"] = write(schedule.partitions);
  if (!schedule.recomputed.empty()) json["recomputed"] = write(schedule.recomputed);
}

Json write(const std::vector<InstructionOption>& options) {
  Json json = Json::array();
  for (const InstructionOption& option : options) {
    Json object{{"time_s", finite(option.time.si())}, {"energy_j", finite(option.energy.si())}};
    add(option.schedule, object);
    json.push_back(std::move(object));
  }
  return json;
}

Json write(const std::vector<Instruction>& order) {
  Json json = Json::array();
  for (const Instruction& instruction : order) json.push_back(short_name(instruction));
  return json;
}

Json write(const FrontierPoint& point) {
  Json stages = Json::array();
  for (const auto& choices : point.choices) stages.push_back(Json::object({{"choices", choices}}));
  return {{"time_s", finite(point.time.si())},
          {"energy_j", finite(point.energy.si())},
          {"static_energy_j", finite(point.static_energy.si())},
          {"dynamic_energy_j", finite(point.dynamic_energy.si())},
          {"bound_j", finite(point.bound.si())},
          {"joules_per_saved_second", finite(point.watts_per_second_saved)},
          {"stages", std::move(stages)}};
}

/// What both files begin with.
template <class File>
Json head(const char* format, const File& file) {
  Json json{{"format", format},
            {"version", kFormatVersion},
            {"provenance", write(file.provenance)},
            {"static_power_w", finite(file.static_power.si())}};
  if (!file.static_power_at.empty()) json["static_power_at"] = write(file.static_power_at);
  json["gpus_per_stage"] = file.gpus_per_stage;
  json["pipelines"] = file.pipelines;
  return json;
}

}  // namespace

std::string to_json(const FrontierFile& frontier) {
  KAREUS_CHECK(frontier.order.size() == frontier.stages.size());
  Json stages = Json::array();
  for (std::size_t stage = 0; stage < frontier.stages.size(); ++stage) {
    stages.push_back({{"order", write(frontier.order[stage])},
                      {"forward", write(frontier.stages[stage].forward)},
                      {"backward", write(frontier.stages[stage].backward)}});
  }
  Json points = Json::array();
  for (const FrontierPoint& point : frontier.points) points.push_back(write(point));
  Json json = head(kFrontierFormat, frontier);
  json["stages"] = std::move(stages);
  json["points"] = std::move(points);
  return layout_json(json);
}

std::string to_json(const Plan& plan) {
  Json stages = Json::array();
  for (const auto& stage : plan.stages) {
    Json instructions = Json::array();
    for (const PlannedInstruction& planned : stage) {
      Json object{{"instruction", short_name(planned.instruction)},
                  {"time_s", finite(planned.time.si())},
                  {"energy_j", finite(planned.energy.si())}};
      add(planned.schedule, object);
      instructions.push_back(std::move(object));
    }
    stages.push_back(Json::object({{"instructions", std::move(instructions)}}));
  }
  Json json = head(kPlanFormat, plan);
  json["time_s"] = finite(plan.time.si());
  json["energy_j"] = finite(plan.energy.si());
  json["static_energy_j"] = finite(plan.static_energy.si());
  json["dynamic_energy_j"] = finite(plan.dynamic_energy.si());
  json["stages"] = std::move(stages);
  return layout_json(json);
}

}  // namespace kareus::schedule
