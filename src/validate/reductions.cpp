#include "validate/reductions.hpp"

namespace kareus::validate {
namespace {

double percent_less(double ours, double base) {
  return (1.0 - ours / base) * 100.0;
}

}  // namespace

double time_reduction(const schedule::FrontierFile& ours, const schedule::FrontierFile& base) {
  return percent_less(ours.points.front().time.si(), base.points.front().time.si());
}

double energy_reduction(const schedule::FrontierFile& ours, const schedule::FrontierFile& base) {
  return percent_less(ours.points.front().energy.si(), base.points.front().energy.si());
}

std::optional<double> iso_time_energy(const schedule::FrontierFile& ours, const schedule::FrontierFile& base) {
  const schedule::FrontierPoint& fastest = base.points.front();
  std::optional<double> best;
  for (const schedule::FrontierPoint& point : ours.points) {
    if (point.time <= fastest.time) best = percent_less(point.energy.si(), fastest.energy.si());
  }
  return best;
}

std::optional<double> iso_energy_time(const schedule::FrontierFile& ours, const schedule::FrontierFile& base) {
  const schedule::FrontierPoint& cheapest = base.points.back();
  for (const schedule::FrontierPoint& point : ours.points) {
    if (point.energy <= cheapest.energy) return percent_less(point.time.si(), cheapest.time.si());
  }
  return std::nullopt;
}

}  // namespace kareus::validate
