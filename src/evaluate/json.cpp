#include <nlohmann/json.hpp>

#include "kareus/evaluation.hpp"

namespace kareus::evaluate {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

std::string level(bool calibrated) {
  return calibrated ? "calibrated" : "blind";
}

}  // namespace

std::string to_json(const Evaluation& evaluation, const std::vector<PublishedRow>& published) {
  Json measures = Json::array();
  for (const Row& row : rows(evaluation)) {
    measures.push_back({{"workload", row.workload},
                        {"level", level(row.calibrated)},
                        {"method", row.recipe},
                        {"time_s", row.time.si()},
                        {"energy_j", row.energy.si()},
                        {"static_j", row.static_energy.si()},
                        {"time_reduction_percent", optional(row.time_reduction)},
                        {"energy_reduction_percent", optional(row.energy_reduction)},
                        {"iso_time_energy_percent", optional(row.iso_time_energy)},
                        {"iso_energy_time_percent", optional(row.iso_energy_time)},
                        {"emulated_time_percent", row.emulated_time},
                        {"emulated_energy_percent", row.emulated_energy},
                        {"parking_saves_percent", row.parking_saves},
                        {"hypervolume_percent", row.hypervolume},
                        {"measurements", row.measurements},
                        {"profiling_gpu_hours", row.profiling_gpu_hours}});
  }
  Json frontiers = Json::array();
  for (const WorkloadResults& workload : evaluation.workloads) {
    for (const RecipeResult& result : workload.results) {
      for (const Outcome& outcome : result.outcomes) {
        Json points = Json::array();
        for (const auto& point : outcome.points) {
          points.push_back(
              {{"time_s", point.time.si()}, {"energy_j", point.energy.si()}, {"static_j", point.static_energy.si()}});
        }
        frontiers.push_back({{"workload", workload.workload.name},
                             {"level", level(outcome.calibrated)},
                             {"method", result.recipe},
                             {"points", points},
                             {"fastest_schedules", outcome.schedules}});
      }
    }
  }
  Json beside = Json::array();
  for (const PublishedRow& row : published) {
    beside.push_back({{"what", row.what},
                      {"workload", row.workload},
                      {"level", level(row.calibrated)},
                      {"method", row.recipe},
                      {"measure", row.measure},
                      {"published_percent", row.published},
                      {"ours_percent", row.ours},
                      {"note", row.note}});
  }
  Json reached = Json::array();
  for (const Goal& goal : goals(evaluation)) {
    reached.push_back({{"method", goal.recipe},
                       {"goal", goal.what},
                       {"level", level(goal.calibrated)},
                       {"value", goal.value},
                       {"reached", goal.reached},
                       {"where", goal.detail}});
  }
  const Json json{{"format", "kareus-evaluation"}, {"version", 1},        {"device", evaluation.device},
                  {"measures", measures},          {"published", beside}, {"goals", reached},
                  {"frontiers", frontiers}};
  return json.dump(1) + "\n";
}

}  // namespace kareus::evaluate
