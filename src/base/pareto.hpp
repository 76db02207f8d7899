#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace kareus {

/// Indices of the points that no other dominates where both coordinates are to be small: ascending in `x`, strictly
/// descending in `y`, of equal points the first. A point that is not finite is never among them: nothing would
/// dominate a NaN.
template <typename Point, typename X, typename Y>
std::vector<std::size_t> pareto_indices(std::span<const Point> points, X x, Y y) {
  struct Place {
    double x;
    double y;
    std::size_t index;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  places.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Place place{std::invoke(x, points[i]), std::invoke(y, points[i]), i};
    if (std::isfinite(place.x) && std::isfinite(place.y)) places.push_back(place);
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a < b; });
  std::vector<std::size_t> front;
  double least = 0;
  for (const Place& place : places) {
    if (!front.empty() && place.y >= least) continue;
    least = place.y;
    front.push_back(place.index);
  }
  return front;
}

}  // namespace kareus
