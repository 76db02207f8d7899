#include "planner/long_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "kareus/rounding.hpp"
#include "kareus/steady_state.hpp"

namespace kareus::planner {
namespace {

using pipeline::OperationKind;

pipeline::LongPipeline long_pipeline(const PipelineGroup& group, const InstructionFrontierOptions& options) {
  pipeline::LongPipeline result{.stages = static_cast<int>(group.order.size()),
                                .microbatches = options.microbatches,
                                .functions = {},
                                .fixed = options.fixed};
  for (const OperationKind kind : {OperationKind::forward, OperationKind::backward}) {
    for (std::size_t stage = 0; stage < group.order.size(); ++stage) {
      const auto& order = group.order[stage];
      const auto first = std::find_if(order.begin(), order.end(), [&](const auto& op) { return op.kind == kind; });
      KAREUS_CHECK(first != order.end());
      const std::uint32_t node = group.dag.node_at[stage][static_cast<std::size_t>(first - order.begin())];
      result.functions.push_back(group.curve.functions[group.curve.function_of[node]]);
    }
  }
  return result;
}

/// The cheapest option that is not slower than the curve wants; the fastest one when all are.
std::uint32_t cheapest_within(const std::vector<pipeline::NodeOption>& options, Seconds duration) {
  const Seconds limit = duration * (1 + 1e-12);
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < options.size(); ++i) {
    const bool fits = options[i].time <= limit;
    const bool best_fits = options[best].time <= limit;
    const bool better = fits && best_fits ? options[i].effective_energy < options[best].effective_energy
                                          : fits || (!best_fits && options[i].time < options[best].time);
    if (better) best = i;
  }
  return best;
}

InstructionPoint realise(const PipelineGroup& group, const pipeline::LongPoint& curve,
                         const std::vector<Seconds>& durations, Watts all_static_power) {
  InstructionPoint point;
  point.curve_time = curve.time;
  point.curve_effective = curve.effective_energy;
  point.slope = curve.slope;
  point.certificate = curve.certificate;
  std::vector<Seconds> real(durations.size());
  std::vector<std::uint32_t> choice(durations.size());
  for (std::size_t stage = 0; stage < group.order.size(); ++stage) {
    auto& choices = point.choices.emplace_back();
    choices.reserve(group.order[stage].size());
    for (const std::uint32_t node : group.dag.node_at[stage]) {
      const auto& options = group.measured.functions[group.measured.function_of[node]];
      choices.push_back(cheapest_within(options, durations[node]));
      choice[node] = choices.back();
      real[node] = options[choices.back()].time;
      point.effective_energy += options[choices.back()].effective_energy;
    }
  }
  const pipeline::Timing timing = pipeline::earliest_times(group.dag, real);
  point.time = timing.makespan;
  const pipeline::ClockModel clocks{.clocks = group.clocks, .switch_latency = {}, .static_power = {}, .parked = {}};
  point.clock_switches = pipeline::park_waits(group.dag, group.measured, timing, choice, clocks).clock_switches;
  point.static_energy = all_static_power * point.time;
  // The curve falls at least as steeply before `curve` as there: the tangent bounds the energy at the realised time.
  point.bound = curve.effective_energy + curve.slope * (curve.time - point.time) + point.static_energy;
  return point;
}

/// Index of the point that serves the request, points ascending in time; nothing when none does.
std::optional<std::size_t> serve(const PointRequest& request, const std::vector<InstructionPoint>& points) {
  std::optional<std::size_t> found;
  const auto* energy = std::get_if<AtEnergy>(&request);
  Seconds latest(std::numeric_limits<double>::infinity());
  if (const auto* time = std::get_if<AtTime>(&request)) {
    latest = time->of_fastest ? points.front().curve_time * time->value : Seconds(time->value);
  } else if (const auto* straggler = std::get_if<AtStraggler>(&request)) {
    latest = std::max(straggler->time, points.front().time);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (energy != nullptr && points[i].energy() <= energy->energy) return i;
    if (energy == nullptr && points[i].time <= latest * (1 + 1e-9)) found = i;
  }
  return found;
}

}  // namespace

bool is_long(const std::vector<InstructionProfile>& profiles, const InstructionFrontierOptions& options) {
  if (profiles.size() != 1 || options.order || options.schedule != "1f1b" || options.chunks != 1) return false;
  if (options.switch_latency > Seconds(0) || options.parked) return false;
  const auto instructions =
      2 * static_cast<std::size_t>(profiles.front().stages) * static_cast<std::size_t>(options.microbatches);
  return instructions >= kLongPipeline;
}

Result<void> solve_long(const PipelineGroup& group, const InstructionFrontierOptions& options,
                        const pipeline::CurveOptions& curve_options, InstructionFrontier& result) {
  auto curve = pipeline::LongCurve::solve(long_pipeline(group, options), std::max<std::size_t>(options.points, 2),
                                          curve_options);
  if (!curve) return tl::unexpected(std::move(curve).error());
  const Watts all_static_power = options.static_power * static_cast<double>(group.order.size());
  std::size_t periodic = 0;
  for (std::size_t i = 0; i < curve->points().size(); ++i) {
    const pipeline::LongPoint& point = curve->points()[i];
    periodic += point.from_steady_state ? 1 : 0;
    result.curve.push_back({.time = point.time, .effective_energy = point.effective_energy, .slope = point.slope});
    result.points.push_back(realise(group, point, curve->durations(i), all_static_power));
  }
  std::reverse(result.points.begin(), result.points.end());
  result.notes.push_back(
      fmt::format("a long pipeline: {} certified points of its curve, {} of them continued from {} microbatches; real "
                  "clocks are the "
                  "next faster ones",
                  curve->points().size(), periodic, curve->solved_microbatches()));
  if (!options.request) return {};
  const auto index = serve(*options.request, result.points);
  if (!index) {
    return fail(ErrorCode::infeasible, "none of the computed points serves the request", {},
                fmt::format("they go from {} and {} to {} and {}", human(result.points.front().time),
                            human(result.points.front().energy()), human(result.points.back().time),
                            human(result.points.back().energy())));
  }
  InstructionPoint chosen = std::move(result.points[*index]);
  if (const auto* straggler = std::get_if<AtStraggler>(&*options.request)) {
    const Seconds waiting = std::max(straggler->time, chosen.time) - chosen.time;
    chosen.static_energy += all_static_power * waiting;
    chosen.bound += all_static_power * waiting;
  }
  result.points.clear();
  result.points.push_back(std::move(chosen));
  return {};
}

}  // namespace kareus::planner
