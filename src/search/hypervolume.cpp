#include <algorithm>
#include <cmath>

#include "base/pareto.hpp"
#include "kareus/search.hpp"

namespace kareus::search {
namespace {

bool is_finite(Objectives point) {
  return std::isfinite(point.time) && std::isfinite(point.energy);
}

/// Only points strictly better than the reference in both objectives dominate any area.
bool is_inside(Objectives point, Objectives reference) {
  return is_finite(point) && point.time < reference.time && point.energy < reference.energy;
}

}  // namespace

std::vector<std::size_t> pareto_front(std::span<const Objectives> points) {
  return pareto_indices(points, &Objectives::time, &Objectives::energy);
}

double hypervolume(std::span<const Objectives> points, Objectives reference) {
  return HypervolumeFront(reference, points).volume();
}

HypervolumeFront::HypervolumeFront(Objectives reference) : reference_(reference) {
  rebuild_sums();
}

HypervolumeFront::HypervolumeFront(Objectives reference, std::span<const Objectives> points) : reference_(reference) {
  for (const std::size_t i : pareto_front(points)) {
    if (is_inside(points[i], reference_)) points_.push_back(points[i]);
  }
  rebuild_sums();
}

void HypervolumeFront::insert(Objectives point) {
  if (!is_inside(point, reference_)) return;
  const auto later =
      std::partition_point(points_.begin(), points_.end(), [&](Objectives other) { return other.time <= point.time; });
  if (later != points_.begin() && std::prev(later)->energy <= point.energy) return;  // dominated, or equal
  const auto first =
      std::partition_point(points_.begin(), points_.end(), [&](Objectives other) { return other.time < point.time; });
  const auto last =
      std::partition_point(first, points_.end(), [&](Objectives other) { return other.energy >= point.energy; });
  points_.insert(points_.erase(first, last), point);
  rebuild_sums();
}

double HypervolumeFront::improvement(Objectives point) const {
  if (!is_inside(point, reference_)) return 0.0;
  const auto later =
      std::partition_point(points_.begin(), points_.end(), [&](Objectives other) { return other.time <= point.time; });
  const double ceiling = later == points_.begin() ? reference_.energy : std::prev(later)->energy;
  if (ceiling <= point.energy) return 0.0;
  const auto lower =
      std::partition_point(later, points_.end(), [&](Objectives other) { return other.energy > point.energy; });
  const double end = lower == points_.end() ? reference_.time : lower->time;
  if (later == lower) return (end - point.time) * (ceiling - point.energy);
  // The new rectangle up to the first point that the candidate dominates, then what it adds below those points.
  const auto i = static_cast<std::size_t>(later - points_.begin());
  const auto k = static_cast<std::size_t>(lower - points_.begin());
  const double before = (later->time - point.time) * (ceiling - point.energy);
  const double below = (end - later->time) * (reference_.energy - point.energy) - (sums_[k] - sums_[i]);
  return before + std::max(below, 0.0);
}

double HypervolumeFront::volume() const {
  return sums_.back();
}

void HypervolumeFront::rebuild_sums() {
  sums_.assign(points_.size() + 1, 0.0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double end = i + 1 < points_.size() ? points_[i + 1].time : reference_.time;
    sums_[i + 1] = sums_[i] + (end - points_[i].time) * (reference_.energy - points_[i].energy);
  }
}

}  // namespace kareus::search
