#include "evaluate/measures.hpp"

#include <algorithm>

#include "kareus/search.hpp"

namespace kareus::evaluate {
namespace {

double percent_less(double ours, double base) {
  return (1.0 - ours / base) * 100.0;
}

}  // namespace

double time_reduction(const Points& ours, const Points& base) {
  return percent_less(ours.front().time.si(), base.front().time.si());
}

double energy_reduction(const Points& ours, const Points& base) {
  return percent_less(ours.front().energy.si(), base.front().energy.si());
}

std::optional<double> iso_time_energy(const Points& ours, const Points& base) {
  const schedule::FrontierPoint& fastest = base.front();
  std::optional<double> best;
  for (const schedule::FrontierPoint& point : ours) {
    if (point.time <= fastest.time) best = percent_less(point.energy.si(), fastest.energy.si());
  }
  return best;
}

std::optional<double> iso_energy_time(const Points& ours, const Points& base) {
  const schedule::FrontierPoint& cheapest = base.back();
  for (const schedule::FrontierPoint& point : ours) {
    if (point.energy <= cheapest.energy) return percent_less(point.time.si(), cheapest.time.si());
  }
  return std::nullopt;
}

Corner corner_of(const std::vector<const Points*>& frontiers) {
  constexpr double kBeyond = 1.1;  // as the published search's reference
  Corner corner;
  for (const Points* points : frontiers) {
    for (const schedule::FrontierPoint& point : *points) {
      corner.time = std::max(corner.time, point.time * kBeyond);
      corner.energy = std::max(corner.energy, point.energy * kBeyond);
    }
  }
  return corner;
}

double hypervolume(const Points& points, const Corner& corner) {
  std::vector<search::Objectives> objectives;
  for (const schedule::FrontierPoint& point : points) {
    objectives.push_back({.time = point.time / corner.time, .energy = point.energy / corner.energy});
  }
  return 100.0 * search::hypervolume(objectives, {.time = 1.0, .energy = 1.0});
}

}  // namespace kareus::evaluate
