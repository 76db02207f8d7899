#include <fmt/format.h>

#include <algorithm>

#include "base/version.hpp"
#include "kareus/instruction_frontier.hpp"
#include "schedule/json_layout.hpp"

namespace kareus::planner {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersionOfFormat = 1;

Json option_json(const ProfileOption& option) {
  Json json{{"clock_mhz", option.clock.mhz}, {"time_s", option.time.si()}, {"energy_j", option.energy.si()}};
  if (!option.configuration.empty()) json["configuration"] = option.configuration;
  return json;
}

Json stages_json(const InstructionFrontier& frontier) {
  Json stages = Json::array();
  for (std::size_t stage = 0; stage < frontier.order.size(); ++stage) {
    const auto [pipeline, own] = frontier.pipeline_of(stage);
    Json json{{"pipeline", pipeline}, {"stage", own}, {"instructions", Json::array()}, {"order", Json::array()}};
    for (const auto& [name, options] : frontier.options[pipeline]) {
      if (name.stage != own) continue;
      Json instruction{{"instruction", fmt::format("{}", pipeline::letter(name.kind))},
                       {"chunk", name.chunk},
                       {"options", Json::array()}};
      for (const ProfileOption& option : options) instruction["options"].push_back(option_json(option));
      json["instructions"].push_back(std::move(instruction));
    }
    for (const pipeline::Operation& operation : frontier.order[stage])
      json["order"].push_back(pipeline::short_name(operation));
    stages.push_back(std::move(json));
  }
  return stages;
}

Json point_json(const InstructionPoint& point) {
  Json json{{"time_s", point.time.si()},
            {"energy_j", point.energy().si()},
            {"static_energy_j", point.static_energy.si()},
            {"effective_energy_j", point.effective_energy.si()},
            {"bound_j", point.bound.si()},
            {"curve_time_s", point.curve_time.si()},
            {"curve_effective_energy_j", point.curve_effective.si()},
            {"joules_per_saved_second", point.slope.si()},
            {"certificate",
             {{"primal_j", point.certificate.primal},
              {"dual_j", point.certificate.dual},
              {"optimal", point.certificate.optimal()}}},
            {"clock_switches", point.clock_switches},
            {"parking_saves_j", point.parking_saves.si()},
            {"stages", Json::array()}};
  for (const auto& choices : point.choices) json["stages"].push_back(Json{{"choices", choices}});
  return json;
}

std::string name_of(CostModel model) {
  switch (model) {
    case CostModel::hull:
      return "hull";
    case CostModel::exponential:
      return "exponential";
  }
  return {};
}

}  // namespace

std::string to_json(const InstructionFrontier& frontier) {
  Json json{{"format", "kareus-curve"},
            {"version", kVersionOfFormat},
            {"provenance", {{"tool_version", kVersion}, {"profiles", frontier.profiles}}},
            {"schedule", frontier.schedule},
            {"cost_model", name_of(frontier.cost_model)},
            {"static_power_w", frontier.static_power.si()},
            {"stages", stages_json(frontier)},
            {"curve", Json::array()},
            {"points", Json::array()}};
  for (const pipeline::Breakpoint& point : frontier.curve) {
    json["curve"].push_back({{"time_s", point.time.si()},
                             {"effective_energy_j", point.effective_energy.si()},
                             {"joules_per_saved_second", point.slope.si()}});
  }
  for (const InstructionPoint& point : frontier.points) json["points"].push_back(point_json(point));
  return schedule::layout_json(json);
}

std::string to_csv(const InstructionFrontier& frontier) {
  std::string text =
      "time_s,energy_j,static_energy_j,effective_energy_j,bound_j,joules_per_saved_second,clock_switches,"
      "parking_saves_j\n";
  for (const InstructionPoint& point : frontier.points) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", point.time.si(), point.energy().si(), point.static_energy.si(),
                        point.effective_energy.si(), point.bound.si(), point.slope.si(), point.clock_switches,
                        point.parking_saves.si());
  }
  return text;
}

}  // namespace kareus::planner
