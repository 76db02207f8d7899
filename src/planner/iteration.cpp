#include <algorithm>
#include <cmath>

#include "kareus/curve.hpp"
#include "kareus/planner.hpp"
#include "kareus/rounding.hpp"
#include "planner/iteration_problem.hpp"

namespace kareus::planner {
namespace {

/// Points of a pipeline of up to so many nodes that are further from the bound, relative, are moved in time.
constexpr double kFar = 2e-3;
constexpr std::size_t kMovedUpTo = 256;

struct RealPoint {
  schedule::FrontierPoint point;
  double distance = 0;  ///< what rounding cost, relative to the bound; surcharges of waits apart
};

/// Real clocks do not reach every time equally well. Times shortly before the points that are far from the bound.
std::vector<Seconds> times_before_far_points(const std::vector<RealPoint>& points, Seconds spacing) {
  std::vector<Seconds> times;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].distance <= kFar) continue;
    for (const double part : {0.8, 0.6, 0.4, 0.2}) times.push_back(points[i].point.time - part * spacing);
  }
  return times;
}

/// A far point gives way to the nearest to the bound of `others` in the interval before it. The fastest point stays.
void move_far_points(std::vector<RealPoint>& points, const std::vector<RealPoint>& others, Seconds spacing) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].distance <= kFar) continue;
    const Seconds end = points[i].point.time;
    for (const RealPoint& other : others) {
      const bool is_before = other.point.time < end && other.point.time > end - spacing;
      if (is_before && other.distance < points[i].distance) points[i] = other;
    }
  }
}

}  // namespace

Result<schedule::FrontierFile> iteration_frontier(std::vector<schedule::StageOptions> stages,
                                                  const workload::Workload& workload, Watts static_power,
                                                  std::size_t points, schedule::Provenance provenance,
                                                  const schedule::PowerByClock& static_power_at) {
  auto problem = make_problem(stages, workload, static_power, static_power_at);
  if (!problem) return tl::unexpected(std::move(problem).error());
  // Slower than where the curve's slope is the static power of all stages, total energy rises again.
  const Watts all_static_power = problem->all_static_power();
  auto curve = pipeline::Curve::solve(problem->dag, problem->costs, {.least_slope = all_static_power});
  if (!curve) return tl::unexpected(std::move(curve).error());

  const std::vector<Seconds> targets = curve->even_times(std::max<std::size_t>(points, 2));
  const auto realise = [&](const std::vector<Seconds>& times) {
    std::vector<RealPoint> result;
    for (const auto& plan : pipeline::round_frontier(problem->dag, problem->costs, *curve, times)) {
      RealPoint real{.point = make_point(*problem, plan.choice)};
      schedule::FrontierPoint& point = real.point;
      point.bound = curve->at(point.time) + all_static_power * point.time;
      point.watts_per_second_saved = curve->slope_at(point.time).si();
      real.distance = (plan.effective_energy + all_static_power * point.time) / point.bound - 1;
      result.push_back(std::move(real));
    }
    return result;
  };
  std::vector<RealPoint> real = realise(targets);
  if (problem->dag.size() <= kMovedUpTo) {
    const Seconds spacing = targets[1] - targets[0];
    move_far_points(real, realise(times_before_far_points(real, spacing)), spacing);
  }
  std::vector<schedule::FrontierPoint> realised;
  for (RealPoint& one : real) realised.push_back(std::move(one.point));
  keep_undominated(realised);
  auto file = make_file(std::move(stages), *problem, workload, static_power, static_power_at, std::move(provenance));
  file.points = std::move(realised);
  return file;
}

Result<schedule::FrontierFile> megatron_point(const std::vector<schedule::StageOptions>& sequential,
                                              const workload::Workload& workload, Watts static_power,
                                              schedule::Provenance provenance,
                                              const schedule::PowerByClock& static_power_at) {
  const auto highest_clock_only = [](const std::vector<schedule::InstructionOption>& options) {
    return *std::max_element(options.begin(), options.end(),
                             [](const auto& a, const auto& b) { return a.schedule.clock < b.schedule.clock; });
  };
  std::vector<schedule::StageOptions> stages;
  for (const schedule::StageOptions& stage : sequential) {
    stages.push_back(
        {.forward = {highest_clock_only(stage.forward)}, .backward = {highest_clock_only(stage.backward)}});
  }
  auto problem = make_problem(stages, workload, static_power, static_power_at);
  if (!problem) return tl::unexpected(std::move(problem).error());
  auto point = make_point(*problem, std::vector<std::uint32_t>(problem->dag.nodes.size(), 0));
  auto file = make_file(std::move(stages), *problem, workload, static_power, static_power_at, std::move(provenance));
  file.points = {std::move(point)};
  return file;
}

}  // namespace kareus::planner
