#include <algorithm>

#include "validate/checks.hpp"
#include "validate/reductions.hpp"

namespace kareus::validate {
namespace {

using evaluate::Method;

constexpr const char* kLevel = "measured run";
constexpr const char* kWorkload = "llama3.2-3b-tp8-mbs8-seq4096";
constexpr double kTime = 4.0;  // points
constexpr double kEnergy = 3.0;
constexpr double kIsoTime = 5.0;
constexpr double kIsoEnergy = 4.0;

/// What the authors' own run of their artifact shows, percent against Megatron-LM, and against it with Perseus.
struct Row {
  Method method;
  double time;
  double energy;
  std::optional<double> iso_time;
  std::optional<double> iso_energy;
};
constexpr Row kMeasured[] = {
    {Method::megatron_perseus, -0.06, 8.61, std::nullopt, std::nullopt},
    {Method::nanobatching_perseus, 7.87, 8.75, 16.23, 12.05},
    {Method::kareus, 13.70, 14.23, 23.08, 18.90},
};

}  // namespace

void check_measured_run(const std::vector<Planned>& planned, std::vector<Check>& checks) {
  const auto found =
      std::find_if(planned.begin(), planned.end(), [](const Planned& one) { return one.workload.name == kWorkload; });
  if (found == planned.end() || found->calibrated.empty()) return;
  const auto& megatron = found->of(Method::megatron, true);
  const auto& perseus = found->of(Method::megatron_perseus, true);
  for (const Row& row : kMeasured) {
    const auto& ours = found->of(row.method, true);
    const std::string name = to_string(row.method);
    add_points(checks, kLevel, name + ": time reduction", row.time, time_reduction(ours, megatron), kTime);
    add_points(checks, kLevel, name + ": energy reduction", row.energy, energy_reduction(ours, megatron), kEnergy);
    if (row.iso_time) {
      const auto value = iso_time_energy(ours, perseus);
      add_points(checks, kLevel, name + ": energy reduction at equal time", *row.iso_time, value.value_or(0.0),
                 kIsoTime);
    }
    if (row.iso_energy) {
      const auto value = iso_energy_time(ours, perseus);
      add_points(checks, kLevel, name + ": time reduction at equal energy", *row.iso_energy, value.value_or(0.0),
                 kIsoEnergy);
    }
  }
}

}  // namespace kareus::validate
