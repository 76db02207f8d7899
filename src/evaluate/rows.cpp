#include <fmt/format.h>

#include <algorithm>

#include "evaluate/find.hpp"
#include "evaluate/measures.hpp"

namespace kareus::evaluate {

const Outcome* find_outcome(const WorkloadResults& workload, const std::string& recipe, bool calibrated) {
  for (const RecipeResult& result : workload.results) {
    if (result.recipe != recipe) continue;
    for (const Outcome& outcome : result.outcomes) {
      if (outcome.calibrated == calibrated) return &outcome;
    }
  }
  return nullptr;
}

const Points* find_points(const WorkloadResults& workload, const std::string& recipe, bool calibrated) {
  const Outcome* outcome = find_outcome(workload, recipe, calibrated);
  return outcome == nullptr ? nullptr : &outcome->points;
}

std::vector<Row> rows(const Evaluation& evaluation) {
  std::vector<Row> all;
  for (const bool calibrated : {false, true}) {
    for (const WorkloadResults& workload : evaluation.workloads) {
      const Points* megatron = find_points(workload, "megatron", calibrated);
      const Points* perseus = find_points(workload, "megatron-perseus", calibrated);
      std::vector<const Points*> frontiers;
      for (const RecipeResult& result : workload.results) {
        if (const Points* points = find_points(workload, result.recipe, calibrated)) frontiers.push_back(points);
      }
      if (frontiers.empty()) continue;
      const Corner corner = corner_of(frontiers);
      for (const RecipeResult& result : workload.results) {
        const Outcome* found = find_outcome(workload, result.recipe, calibrated);
        if (found == nullptr) continue;
        const Outcome& outcome = *found;
        const Points& points = outcome.points;
        const schedule::FrontierPoint& fastest = points.front();
        Row row{.workload = workload.workload.name,
                .calibrated = calibrated,
                .recipe = result.recipe,
                .time = fastest.time,
                .energy = fastest.energy,
                .static_energy = fastest.static_energy,
                .time_reduction = {},
                .energy_reduction = {},
                .iso_time_energy = {},
                .iso_energy_time = {},
                .emulated_time = 100.0 * (outcome.emulated_time / fastest.time - 1.0),
                .emulated_energy = 100.0 * (outcome.emulated_energy / fastest.energy - 1.0),
                .parking_saves = 100.0 * (outcome.parking_saves / outcome.emulated_energy),
                .hypervolume = hypervolume(points, corner),
                .measurements = result.measurements,
                .profiling_gpu_hours = result.profiling_gpu_hours};
        if (megatron != nullptr) {
          row.time_reduction = time_reduction(points, *megatron);
          row.energy_reduction = energy_reduction(points, *megatron);
        }
        if (perseus != nullptr) {
          row.iso_time_energy = iso_time_energy(points, *perseus);
          row.iso_energy_time = iso_energy_time(points, *perseus);
        }
        all.push_back(std::move(row));
      }
    }
  }
  return all;
}

}  // namespace kareus::evaluate
