#include <algorithm>

#include "evaluate/published.hpp"
#include "validate/checks.hpp"

namespace kareus::validate {
namespace {

using evaluate::Method;

constexpr const char* kLevel = "measured run";
constexpr double kTime = 4.0;  // points
constexpr double kEnergy = 3.0;
constexpr double kIsoTime = 5.0;
constexpr double kIsoEnergy = 4.0;

}  // namespace

void check_measured_run(const std::vector<Planned>& planned, std::vector<Check>& checks) {
  const auto found = std::find_if(planned.begin(), planned.end(),
                                  [](const Planned& one) { return one.workload.name == evaluate::kMeasuredWorkload; });
  if (found == planned.end() || found->calibrated.empty()) return;
  const auto& megatron = found->of(Method::megatron, true).points;
  const auto& perseus = found->of(Method::megatron_perseus, true).points;
  for (const evaluate::MeasuredReductions& row : evaluate::kMeasured) {
    const auto& ours = found->of(row.method, true).points;
    const std::string name = to_string(row.method);
    add_points(checks, kLevel, name + ": time reduction", row.time, evaluate::time_reduction(ours, megatron), kTime);
    add_points(checks, kLevel, name + ": energy reduction", row.energy, evaluate::energy_reduction(ours, megatron),
               kEnergy);
    if (row.iso_time) {
      const auto value = evaluate::iso_time_energy(ours, perseus);
      add_points(checks, kLevel, name + ": energy reduction at equal time", *row.iso_time, value.value_or(0.0),
                 kIsoTime);
    }
    if (row.iso_energy) {
      const auto value = evaluate::iso_energy_time(ours, perseus);
      add_points(checks, kLevel, name + ": time reduction at equal energy", *row.iso_energy, value.value_or(0.0),
                 kIsoEnergy);
    }
  }
}

}  // namespace kareus::validate
