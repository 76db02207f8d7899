#include "planner/instruction_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "kareus/schedule.hpp"

namespace kareus::planner {
namespace {

/// Deadlines and budgets are met up to what the text of a number loses.
constexpr double kSlack = 1.0 + 1e-9;

pipeline::ClockModel clock_model(const PipelineGroup& group, const InstructionFrontierOptions& options) {
  pipeline::ClockModel model{.clocks = group.clocks,
                             .switch_latency = options.switch_latency,
                             .static_power = {},
                             .parked = options.parked.value_or(Clock{})};
  if (!options.parked) return model;
  schedule::PowerByClock table = options.static_power_at;
  Clock highest{};
  for (const auto& clocks : group.clocks) highest = std::max(highest, *std::max_element(clocks.begin(), clocks.end()));
  table.emplace(highest, options.static_power);
  model.static_power = [table = std::move(table)](Clock clock) { return schedule::power_at(table, clock); };
  return model;
}

/// Keeps what no other point beats in time and in `cost`; ascending in time.
template <class Cost>
void keep_undominated(std::vector<InstructionPoint>& points, Cost cost) {
  std::stable_sort(points.begin(), points.end(), [&](const InstructionPoint& a, const InstructionPoint& b) {
    return a.time != b.time ? a.time < b.time : cost(a) < cost(b);
  });
  std::vector<InstructionPoint> kept;
  for (InstructionPoint& point : points) {
    if (kept.empty() || cost(point) < cost(kept.back())) kept.push_back(std::move(point));
  }
  points = std::move(kept);
}

}  // namespace

pipeline::Certificate certify_at(const pipeline::Curve& curve, Seconds time) {
  const auto& breakpoints = curve.breakpoints();
  // The last one that is not faster than `time`.
  const auto beyond = std::find_if(breakpoints.begin(), breakpoints.end(),
                                   [&](const pipeline::Breakpoint& point) { return point.time < time; });
  const auto slow = static_cast<std::size_t>(std::max<std::ptrdiff_t>(beyond - breakpoints.begin() - 1, 0));
  pipeline::Certificate certificate = curve.certify(slow);
  if (breakpoints[slow].time <= time || slow + 1 == breakpoints.size()) return certificate;
  const pipeline::Certificate other = curve.certify(slow + 1);
  const double share = (breakpoints[slow].time - time) / (breakpoints[slow].time - breakpoints[slow + 1].time);
  certificate.feasible = certificate.feasible && other.feasible;
  certificate.complementary = certificate.complementary && other.complementary;
  certificate.primal += share * (other.primal - certificate.primal);
  certificate.dual += share * (other.dual - certificate.dual);
  return certificate;
}

PointMaker::PointMaker(const PipelineGroup& group, const pipeline::Curve& curve,
                       const InstructionFrontierOptions& options)
    : group_(group),
      curve_(curve),
      full_(options.full),
      points_(options.points),
      all_static_power_(options.static_power * static_cast<double>(group.order.size())),
      clocks_(clock_model(group, options)) {}

InstructionPoint PointMaker::at(Seconds time) const {
  const Seconds asked = std::clamp(time, curve_.fastest(), curve_.slowest());
  return make_point(asked, pipeline::round_to_options(group_.dag, group_.measured, curve_, asked, clocks_));
}

InstructionPoint PointMaker::make_point(Seconds curve_time, const pipeline::RealPlan& plan) const {
  InstructionPoint point;
  point.curve_time = curve_time;
  point.curve_effective = curve_.at(curve_time);
  point.slope = curve_.slope_at(curve_time);
  point.certificate = certify_at(curve_, curve_time);
  point.time = plan.time;
  point.effective_energy = plan.effective_energy;
  point.static_energy = all_static_power_ * plan.time;
  point.bound = curve_energy(plan.time);
  point.parking_saves = plan.parking_saves;
  point.clock_switches = plan.clock_switches;
  for (const auto& nodes : group_.dag.node_at) {
    auto& stage = point.choices.emplace_back();
    stage.reserve(nodes.size());
    for (const std::uint32_t node : nodes) stage.push_back(plan.choice[node]);
  }
  return point;
}

std::vector<InstructionPoint> PointMaker::all() const {
  const bool is_one = points_ < 2 || !(curve_.fastest() < curve_.slowest());
  const auto times = is_one ? std::vector{curve_.fastest()} : curve_.even_times(points_);
  std::vector<InstructionPoint> points;
  for (const auto& plan : pipeline::round_frontier(group_.dag, group_.measured, curve_, times, clocks_)) {
    points.push_back(make_point(std::clamp(plan.time, curve_.fastest(), curve_.slowest()), plan));
  }
  // On the full curve slow points cost more in total and serve stragglers, for whom static energy is spent already.
  if (full_) {
    keep_undominated(points, [](const InstructionPoint& point) { return point.effective_energy; });
  } else {
    keep_undominated(points, [](const InstructionPoint& point) { return point.energy(); });
  }
  return points;
}

Result<InstructionPoint> PointMaker::requested(const PointRequest& request, std::vector<std::string>& notes) const {
  return std::visit([&](const auto& wanted) { return serve(wanted, notes); }, request);
}

Result<InstructionPoint> PointMaker::serve(const AtTime& request, std::vector<std::string>& notes) const {
  const Seconds time = request.of_fastest ? curve_.fastest() * request.value : Seconds(request.value);
  InstructionPoint point = at(time);
  if (point.time > time * kSlack) {
    return fail(ErrorCode::infeasible, fmt::format("no plan ends within {} s", time.si()), {},
                fmt::format("the fastest takes {} s", at(curve_.fastest()).time.si()));
  }
  if (time > curve_.slowest() * kSlack) {
    notes.push_back(fmt::format("the curve ends at {}: ending later costs more energy", human(curve_.slowest())));
  }
  return point;
}

Result<InstructionPoint> PointMaker::serve(const AtEnergy& request, std::vector<std::string>&) const {
  const Joules budget = request.energy * kSlack;
  const Seconds cheapest = least_energy_time();
  InstructionPoint best = at(cheapest);
  if (best.energy() > budget) {
    return fail(ErrorCode::infeasible, fmt::format("no plan needs at most {} J", request.energy.si()), {},
                fmt::format("the least is {} J, in {} s", best.energy().si(), best.time.si()));
  }
  // First where the curve meets the budget, below which no real plan does; then real plans above.
  Seconds low = curve_.fastest();
  Seconds high = cheapest;
  for (int i = 0; i < 60 && curve_energy(low) > budget; ++i) {
    const Seconds middle = low + (high - low) * 0.5;
    (curve_energy(middle) > budget ? low : high) = middle;
    if (curve_energy(high) <= budget && high - low <= high * 1e-12) break;
  }
  constexpr int kTries = 12;
  high = cheapest;
  for (int i = 0; i < kTries; ++i) {
    // The low end first: with luck the real plan there costs no more than the curve.
    const Seconds target = i == 0 ? low : low + (high - low) * 0.5;
    InstructionPoint point = at(target);
    const bool within = point.energy() <= budget;
    if (within && point.time < best.time) best = std::move(point);
    if (within && i == 0) break;
    (within ? high : low) = target;
  }
  return best;
}

Result<InstructionPoint> PointMaker::serve(const AtStraggler& request, std::vector<std::string>& notes) const {
  InstructionPoint point = at(std::min(curve_.slowest(), std::max(request.time, curve_.fastest())));
  if (request.time <= curve_.fastest()) {
    notes.push_back(
        fmt::format("the straggler ends before the fastest plan ({}): nothing to wait for", human(curve_.fastest())));
  }
  // The iteration lasts until the straggler ends, and static power is paid until then.
  const Seconds waiting = std::max(request.time, point.time) - point.time;
  point.static_energy += all_static_power_ * waiting;
  point.bound += all_static_power_ * waiting;
  return point;
}

Joules PointMaker::curve_energy(Seconds time) const {
  return curve_.at(time) + all_static_power_ * time;
}

Seconds PointMaker::least_energy_time() const {
  for (const pipeline::Breakpoint& point : curve_.breakpoints()) {
    if (point.slope >= all_static_power_) return point.time;
  }
  return curve_.fastest();
}

}  // namespace kareus::planner
