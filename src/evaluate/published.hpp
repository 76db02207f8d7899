#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "evaluate/measures.hpp"
#include "kareus/evaluate.hpp"

namespace kareus::evaluate {

/// What the authors' own run of their artifact shows on Llama 3.2 3B, TP8, microbatch 8, sequence 4096: percent against
/// Megatron-LM, and against it with Perseus. Read off the recording of the artifact evaluation.
struct MeasuredReductions {
  Method method;
  double time;
  double energy;
  std::optional<double> iso_time;
  std::optional<double> iso_energy;
};
inline constexpr const char* kMeasuredWorkload = "llama3.2-3b-tp8-mbs8-seq4096";
inline constexpr MeasuredReductions kMeasured[] = {
    {Method::megatron_perseus, -0.06, 8.61, std::nullopt, std::nullopt},
    {Method::nanobatching_perseus, 7.87, 8.75, 16.23, 12.05},
    {Method::kareus, 13.70, 14.23, 23.08, 18.90},
};

/// Points of published plans, by workload and method name; fastest first, undominated.
using PublishedPlans = std::map<std::pair<std::string, std::string>, Points>;

/// Reads `workload,method,time_s,energy_j`, energies of one GPU of each stage. Errors: bad_input.
Result<PublishedPlans> read_published_plans(const std::filesystem::path& csv);

}  // namespace kareus::evaluate
