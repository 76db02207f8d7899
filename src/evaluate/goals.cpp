#include <fmt/format.h>

#include <algorithm>

#include "evaluate/find.hpp"

namespace kareus::evaluate {
namespace {

constexpr double kSameTime = 0.1;       ///< percent of time or energy: what two realisations of one curve differ by
constexpr double kEmulationLead = 2.0;  ///< points

/// Energy of a frontier at a time that it reaches, linear between its points: real plans come within a few tenths of a
/// percent of the convex curve.
double energy_at(const Points& points, Seconds time) {
  const auto after = std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.time >= time; });
  if (after == points.end()) return points.back().energy.si();
  if (after == points.begin()) return after->energy.si();
  const auto before = std::prev(after);
  const double share = (time - before->time) / (after->time - before->time);
  return before->energy.si() + share * (after->energy - before->energy).si();
}

/// By how much the worst missed point of theirs is missed, percent: in time where ours is not that fast, else in
/// energy.
double shortfall(const Points& ours, const Points& theirs) {
  double worst = 0.0;
  for (const schedule::FrontierPoint& their : theirs) {
    const bool reached = ours.front().time <= their.time;
    const double missed =
        reached ? energy_at(ours, their.time) / their.energy.si() - 1.0 : ours.front().time / their.time - 1.0;
    worst = std::max(worst, missed * 100.0);
  }
  return worst;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

}  // namespace

std::vector<Goal> goals(const Evaluation& evaluation) {
  std::vector<Goal> all;
  for (const auto& [recipe, calibrated] :
       {std::pair{"kareus", false}, {"kareus-parked", false}, {"kareus", true}, {"kareus-parked", true}}) {
    double worst = 0.0;
    double least_lead = 1e9;
    std::string worst_name;
    std::string least_name;
    std::vector<double> emulated;
    for (const WorkloadResults& workload : evaluation.workloads) {
      const Points* ours = find_points(workload, recipe, calibrated);
      const Points* theirs = find_points(workload, "kareus-published", calibrated);
      const Points* perseus = find_points(workload, "megatron-perseus", calibrated);
      if (ours == nullptr || theirs == nullptr || perseus == nullptr) continue;
      const double missed = shortfall(*ours, *theirs);
      if (missed >= worst) {
        worst = missed;
        worst_name = workload.workload.name;
      }
      const double lead =
          iso_time_energy(*ours, *perseus).value_or(0.0) - iso_time_energy(*theirs, *perseus).value_or(0.0);
      if (lead < least_lead) {
        least_lead = lead;
        least_name = workload.workload.name;
      }
      if (workload.workload.parallelism.pipeline > 2) emulated.push_back(lead);
    }
    if (worst_name.empty()) continue;
    all.push_back({recipe, "never worse than the published method on any workload: largest shortfall in percent",
                   calibrated, worst, worst <= kSameTime, worst_name});
    all.push_back({recipe, "ahead of the published method in energy at equal time on all: least lead in points",
                   calibrated, least_lead, least_lead > 0.0, least_name});
    if (!emulated.empty()) {
      const double middle = median(emulated);
      all.push_back({recipe, "at least 2 points ahead in the median of the emulated workloads", calibrated, middle,
                     middle >= kEmulationLead, fmt::format("{} workloads", emulated.size())});
    }
  }
  return all;
}

}  // namespace kareus::evaluate
