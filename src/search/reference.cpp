#include "search/reference.hpp"

#include <algorithm>
#include <cmath>

namespace kareus::search {
namespace {

struct Extent {
  double low;
  double high;
  double range() const { return high - low; }
};

Extent extent(std::span<const Objectives> points, double Objectives::*objective) {
  KAREUS_CHECK(!points.empty());
  Extent result{points.front().*objective, points.front().*objective};
  for (const Objectives& point : points) {
    result.low = std::min(result.low, point.*objective);
    result.high = std::max(result.high, point.*objective);
  }
  return result;
}

/// A tenth of `span`, or a tenth of the unit where that is nothing.
double tenth(double span) {
  return span > 0 ? 0.1 * span : 0.1;
}

double beyond_worst(Extent observed) {
  return observed.high + tenth(std::max(std::abs(observed.high), observed.range()));
}

double beyond_nadir(Extent front) {
  return front.high + tenth(front.range() > 0 ? front.range() : std::abs(front.high));
}

}  // namespace

Objectives acquisition_reference(std::span<const Objectives> points) {
  return {.time = beyond_worst(extent(points, &Objectives::time)),
          .energy = beyond_worst(extent(points, &Objectives::energy))};
}

Objectives reporting_reference(std::span<const Objectives> points) {
  std::vector<Objectives> front;
  for (const std::size_t i : pareto_front(points)) front.push_back(points[i]);
  return {.time = beyond_nadir(extent(front, &Objectives::time)),
          .energy = beyond_nadir(extent(front, &Objectives::energy))};
}

}  // namespace kareus::search
