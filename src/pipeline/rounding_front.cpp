#include "pipeline/rounding_front.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace kareus::pipeline {
namespace {

/// Corners of a hull that are nearer to the line between their neighbours than this part of its height are left out.
constexpr double kFlat = 5e-3;

/// Positions on the lower hull, from the fastest option to the cheapest.
std::vector<std::uint32_t> lower_hull(const Front& front) {
  std::vector<std::uint32_t> hull;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < front.size(); ++i) {
    if (front.energy[i] >= least) continue;
    least = front.energy[i];
    while (hull.size() > 1) {
      const std::uint32_t a = hull[hull.size() - 2];
      const std::uint32_t b = hull.back();
      const double to_b = (front.energy[b] - front.energy[a]) * (front.time[i] - front.time[a]);
      const double to_i = (front.energy[i] - front.energy[a]) * (front.time[b] - front.time[a]);
      if (to_b < to_i) break;
      hull.pop_back();
    }
    hull.push_back(i);
  }
  return hull;
}

/// The largest distance in energy of hull[first..last] below the line between the two ends, and where.
std::pair<double, std::size_t> deepest(const Front& front, const std::vector<std::uint32_t>& hull, std::size_t first,
                                       std::size_t last) {
  std::pair<double, std::size_t> result{0.0, first};
  const std::uint32_t a = hull[first];
  const std::uint32_t b = hull[last];
  const double slope = (front.energy[b] - front.energy[a]) / (front.time[b] - front.time[a]);
  for (std::size_t i = first + 1; i < last; ++i) {
    const double depth = front.energy[a] + slope * (front.time[hull[i]] - front.time[a]) - front.energy[hull[i]];
    if (depth > result.first) result = {depth, i};
  }
  return result;
}

std::vector<std::uint32_t> main_corners(const Front& front) {
  const std::vector<std::uint32_t> hull = lower_hull(front);
  const double flat = kFlat * (front.energy[hull.front()] - front.energy[hull.back()]);
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, hull.size() - 1}};
  std::vector<std::uint32_t> corners{hull.front()};
  if (hull.size() > 1) corners.push_back(hull.back());
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    const auto [depth, middle] = deepest(front, hull, first, last);
    if (depth <= flat) continue;
    corners.push_back(hull[middle]);
    open.emplace_back(first, middle);
    open.emplace_back(middle, last);
  }
  std::sort(corners.begin(), corners.end());
  return corners;
}

}  // namespace

std::uint32_t Front::slowest_within(double limit) const {
  const auto end = std::upper_bound(time.begin(), time.end(), limit);
  return end == time.begin() ? 0 : static_cast<std::uint32_t>(end - time.begin() - 1);
}

std::uint32_t Front::cheapest_within(double limit) const {
  const std::uint32_t last = slowest_within(limit);
  if (descending) return last;
  return static_cast<std::uint32_t>(std::min_element(energy.begin(), energy.begin() + last + 1) - energy.begin());
}

std::vector<Front> make_fronts(const NodeCosts& costs, const ClockModel& clocks) {
  const bool with_clocks = !clocks.clocks.empty();
  const bool dear_switches = with_clocks && clocks.switch_latency > Seconds(0);
  KAREUS_CHECK(!with_clocks || clocks.clocks.size() == costs.functions.size());
  std::vector<Front> fronts;
  for (std::size_t f = 0; f < costs.functions.size(); ++f) {
    const std::vector<NodeOption>& options = costs.functions[f];
    KAREUS_CHECK(!options.empty() && (!with_clocks || clocks.clocks[f].size() == options.size()));
    std::vector<std::uint32_t> order(options.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (options[a].time != options[b].time) return options[a].time < options[b].time;
      return options[a].effective_energy < options[b].effective_energy;
    });
    Front front;
    front.descending = !dear_switches;
    std::map<Clock, double> least;  // per clock that competes
    for (const std::uint32_t i : order) {
      const Clock clock = with_clocks ? clocks.clocks[f][i] : Clock{};
      const double energy = options[i].effective_energy.si();
      const auto [best, is_new] = least.try_emplace(dear_switches ? clock : Clock{}, energy);
      if (!is_new && energy >= best->second) continue;
      best->second = energy;
      front.option.push_back(i);
      front.time.push_back(options[i].time.si());
      front.energy.push_back(energy);
      front.clock.push_back(clock);
    }
    front.corner = main_corners(front);
    fronts.push_back(std::move(front));
  }
  return fronts;
}

}  // namespace kareus::pipeline
