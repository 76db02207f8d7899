#include "pipeline/hull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kareus::pipeline {
namespace {

/// Sums of ticks stay below 2^60, sums of slopes below 2^60.
constexpr double kLongestPath = 1152921504606846976.0;
constexpr int kSumBits = 60;
constexpr int kSlopeBits = 44;

struct Point {
  std::int64_t ticks = 0;
  double energy = 0;
};

std::vector<Problem> find_bad_options(std::span<const std::vector<NodeOption>> functions) {
  std::vector<Problem> problems;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    if (functions[f].empty()) {
      problems.push_back({fmt::format("function {}", f), "has no options", {}});
    }
    for (std::size_t o = 0; o < functions[f].size(); ++o) {
      const NodeOption& option = functions[f][o];
      const std::string where = fmt::format("function {}, option {}", f, o);
      if (!std::isfinite(option.time.si()) || option.time.si() <= 0) {
        problems.push_back({where, fmt::format("time {} s is not positive and finite", option.time.si()), {}});
      }
      if (!std::isfinite(option.effective_energy.si())) {
        problems.push_back({where, fmt::format("energy {} J is not finite", option.effective_energy.si()), {}});
      }
    }
  }
  return problems;
}

/// The longest lag or tail; NaN when one is negative or not finite.
double longest_fixed_time(const Dag& dag) {
  double longest = 0;
  const auto take = [&](Seconds time) {
    if (!(time.si() >= 0) || !std::isfinite(time.si())) longest = std::numeric_limits<double>::quiet_NaN();
    if (time.si() > longest) longest = time.si();
  };
  for (const auto& predecessors : dag.predecessors) {
    for (const Dag::Predecessor& predecessor : predecessors) take(predecessor.lag);
  }
  for (const Seconds tail : dag.tail) take(tail);
  return longest;
}

/// Energy that one tick costs between two points, positive towards the faster one.
double slope(const Point& slow, const Point& fast) {
  return (fast.energy - slow.energy) / static_cast<double>(slow.ticks - fast.ticks);
}

/// Points of the lower left hull, slowest (cheapest) first.
std::vector<Point> lower_left(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.energy != b.energy ? a.energy < b.energy : a.ticks < b.ticks;
  });
  std::vector<Point> hull;
  for (const Point& point : points) {
    if (!hull.empty() && point.ticks >= hull.back().ticks) continue;  // slower and dearer than another
    while (hull.size() > 1 && slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), point)) hull.pop_back();
    hull.push_back(point);
  }
  return hull;
}

Hull round_slopes(const std::vector<Point>& points, double slope_units) {
  Hull hull{.ticks = {points.front().ticks}, .slopes = {0}, .slowest_energy = Joules(points.front().energy)};
  for (std::size_t k = 1; k < points.size(); ++k) {
    const auto units = static_cast<std::int64_t>(std::llround(slope(points[k - 1], points[k]) * slope_units));
    // Slopes that are equal on the grid are one segment; an energy step too small for it is free.
    if (units <= hull.slopes.back()) {
      hull.ticks.back() = points[k].ticks;
    } else {
      hull.ticks.push_back(points[k].ticks);
      hull.slopes.push_back(units);
    }
  }
  return hull;
}

}  // namespace

Result<HullSet> make_hulls(std::span<const std::vector<NodeOption>> functions, const Dag& dag) {
  const std::size_t nodes = dag.size();
  std::vector<Problem> problems = find_bad_options(functions);
  const double fixed = longest_fixed_time(dag);
  if (std::isnan(fixed)) problems.push_back({{}, "a fixed time of the pipeline is negative or not finite", {}});
  if (!problems.empty()) return tl::unexpected(Error{.code = ErrorCode::bad_input, .problems = std::move(problems)});

  double longest = 0;
  for (const auto& function : functions) {
    for (const NodeOption& option : function) longest = std::max(longest, option.time.si());
  }
  HullSet set;
  const double path = (longest + fixed) * static_cast<double>(nodes + 1);
  if (path >= 1e30) return fail(ErrorCode::bad_input, fmt::format("a time of {} s is out of range", longest + fixed));
  while (path * set.grid.ticks_per_second >= kLongestPath) set.grid.ticks_per_second /= 1000;

  std::vector<std::vector<Point>> hulls;
  double steepest = 0;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    std::vector<Point> points;
    for (const NodeOption& option : functions[f]) {
      points.push_back({std::llround(option.time.si() * set.grid.ticks_per_second), option.effective_energy.si()});
      if (points.back().ticks < 1) {
        problems.push_back(
            {fmt::format("function {}", f),
             fmt::format("a time of {} s is too short to be resolved next to {} s", option.time.si(), longest),
             {}});
      }
    }
    hulls.push_back(lower_left(std::move(points)));
    const auto& hull = hulls.back();
    if (hull.size() > 1) steepest = std::max(steepest, slope(hull[hull.size() - 2], hull.back()));
  }
  if (!problems.empty()) return tl::unexpected(Error{.code = ErrorCode::bad_input, .problems = std::move(problems)});
  if (!std::isfinite(steepest)) return fail(ErrorCode::bad_input, "the energies differ by more than can be computed");

  const int bits = std::min(kSlopeBits, kSumBits - static_cast<int>(std::bit_width(nodes)));
  if (steepest > 0) set.grid.slope_units = std::ldexp(1.0, bits) / steepest;
  if (!std::isfinite(set.grid.slope_units)) {
    return fail(ErrorCode::bad_input, "the energies are too small to be computed");
  }
  for (const auto& points : hulls) set.functions.push_back(round_slopes(points, set.grid.slope_units));
  return set;
}

HullSet coarsened(const HullSet& hulls, std::int64_t steps) {
  std::int64_t steepest = 0;
  for (const Hull& hull : hulls.functions) steepest = std::max(steepest, hull.slopes.back());
  const std::int64_t step = std::max<std::int64_t>(steepest / steps, 1);
  HullSet result{.grid = hulls.grid, .functions = {}};
  for (const Hull& hull : hulls.functions) {
    Hull& coarse = result.functions.emplace_back(
        Hull{.ticks = {hull.slowest()}, .slopes = {0}, .slowest_energy = hull.slowest_energy});
    for (std::size_t k = 1; k < hull.ticks.size(); ++k) {
      const std::int64_t slope = (hull.slopes[k] + step / 2) / step * step;
      if (slope <= coarse.slopes.back()) {
        coarse.ticks.back() = hull.ticks[k];
      } else {
        coarse.ticks.push_back(hull.ticks[k]);
        coarse.slopes.push_back(slope);
      }
    }
  }
  return result;
}

}  // namespace kareus::pipeline
