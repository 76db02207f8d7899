#include "kareus/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pipeline/certificate.hpp"
#include "pipeline/curve_snapshots.hpp"
#include "pipeline/steady_state_extension.hpp"

namespace kareus::pipeline {
namespace {

/// Microbatches per stage of the pipeline that is solved: enough for most solutions to repeat in the middle.
constexpr int kMicrobatchesPerStage = 6;

std::vector<std::uint32_t> functions_of(const PipelineEvents& pipeline) {
  std::vector<std::uint32_t> result;
  result.reserve(pipeline.dag.size());
  for (const Dag::Node& node : pipeline.dag.nodes) {
    const int row = node.operation.kind == OperationKind::forward ? node.stage : pipeline.dag.stages + node.stage;
    result.push_back(static_cast<std::uint32_t>(row));
  }
  return result;
}

/// A pipeline of either length, ready to be solved.
struct Side {
  PipelineEvents events;
  std::vector<std::uint32_t> function_of;

  ParametricFlow start(const HullSet& hulls) const { return {events.dag, events.graph, function_of, hulls}; }
};

/// A breakpoint of the shorter pipeline and where it lies on the longer one, if that is known.
struct Station {
  std::int64_t slope = 0;                 ///< of the piece on its faster side; the last one's of the piece before
  std::optional<std::int64_t> long_time;  ///< ticks
};

std::int64_t iteration_ticks(const FlowSnapshot& solution, const EventGraph& graph) {
  return solution.times[graph.sink] - solution.times[graph.source];
}

/// Two solutions that one slope proves optimal; the wanted point lies on the line between them.
struct Bracket {
  FlowSnapshot slow;
  FlowSnapshot fast;
  Certificate slow_proof;
  Certificate fast_proof;
  std::int64_t slope = 0;
  bool from_steady_state = false;
};

/// How far the wanted time lies from the slow end to the fast end of the bracket.
double part_of(const Bracket& bracket, double time, const EventGraph& graph) {
  const auto from = static_cast<double>(iteration_ticks(bracket.slow, graph));
  const auto to = static_cast<double>(iteration_ticks(bracket.fast, graph));
  return from == to ? 0 : std::clamp((from - time) / (from - to), 0.0, 1.0);
}

}  // namespace

struct LongCurve::State {
  HullSet hulls;
  Side shorter;
  Side longer;
  Precedences precedences;
  std::optional<ParametricFlow> start;  ///< of the shorter pipeline
  Snapshots snapshots;
  std::vector<Station> stations;
  std::vector<double> times;  ///< of the points, ticks

  bool same_length() const { return shorter.events.microbatches == longer.events.microbatches; }

  std::optional<FlowSnapshot> extended(const FlowSnapshot& solution) const {
    if (same_length()) return solution;
    const auto repetition = find_repetition(shorter.events, solution);
    if (!repetition) return std::nullopt;
    return extend(shorter.events, solution, *repetition, longer.events);
  }
  std::optional<std::int64_t> long_time(const FlowSnapshot& solution) const {
    const std::int64_t time = iteration_ticks(solution, shorter.events.graph);
    if (same_length()) return time;
    const auto repetition = find_repetition(shorter.events, solution);
    if (!repetition) return std::nullopt;
    return time + repetition->period * (longer.events.microbatches - shorter.events.microbatches);
  }
  Certificate check(const FlowSnapshot& solution) const {
    return check_claim({.precedences = precedences,
                        .graph = longer.events.graph,
                        .function_of = longer.function_of,
                        .hulls = hulls,
                        .solution = solution});
  }
  void solve_shorter();
  ParametricFlow solver_at(std::size_t station) const;
  std::optional<Bracket> continued(std::size_t station) const;
  Bracket walked(const std::optional<FlowSnapshot>& from, double time) const;
  Bracket bracket(double time) const;
  std::optional<std::pair<double, double>> ends(const CurveOptions& options) const;
};

void LongCurve::State::solve_shorter() {
  start.emplace(shorter.start(hulls));
  ParametricFlow flow = *start;
  for (bool can_speed_up = true; can_speed_up;) {
    const std::int64_t slower = flow.flow_value();
    // The times alone say where the longer pipeline is; whether their flow can be continued too, the certificate will.
    const FlowSnapshot times_only{.times = flow.times(),
                                  .flows = std::vector<std::int64_t>(shorter.events.graph.arcs.size())};
    can_speed_up = flow.saturate();
    snapshots.offer(stations.size(), flow);
    stations.push_back({can_speed_up ? flow.flow_value() : slower, long_time(times_only)});
    if (can_speed_up) flow.speed_up();
  }
}

ParametricFlow LongCurve::State::solver_at(std::size_t station) const {
  ParametricFlow flow = *start;
  for (std::size_t steps = snapshots.restore(station, flow); steps > 0; --steps) {
    flow.speed_up();
    flow.saturate();
  }
  return flow;
}

/// The piece on the faster side of a station, on the longer pipeline, if both its ends are proved there.
std::optional<Bracket> LongCurve::State::continued(std::size_t station) const {
  ParametricFlow flow = solver_at(station);
  auto slow = extended(flow.snapshot());
  if (!slow) return std::nullopt;
  const Certificate slow_proof = check(*slow);
  if (!slow_proof.optimal()) return std::nullopt;
  Bracket result{.slow = *slow,
                 .fast = std::move(*slow),
                 .slow_proof = slow_proof,
                 .fast_proof = slow_proof,
                 .slope = stations[station].slope,
                 .from_steady_state = true};
  if (station + 1 == stations.size()) return result;
  flow.speed_up();
  auto fast = extended(flow.snapshot());
  if (!fast) return std::nullopt;
  result.fast = std::move(*fast);
  result.fast_proof = check(result.fast);
  if (!result.fast_proof.optimal()) return std::nullopt;
  return result;
}

/// The piece at a time, found by solving the longer pipeline from a slower solution (or the slowest) on.
Bracket LongCurve::State::walked(const std::optional<FlowSnapshot>& from, double time) const {
  ParametricFlow flow = longer.start(hulls);
  if (from) flow.restore(*from);
  Bracket result;
  for (bool is_found = false; !is_found;) {
    const std::int64_t slower = flow.flow_value();
    const bool can_speed_up = flow.saturate();
    result.slope = can_speed_up ? flow.flow_value() : slower;
    result.slow = flow.snapshot();
    if (can_speed_up) flow.speed_up();
    is_found = !can_speed_up || static_cast<double>(flow.iteration_time()) <= time;
  }
  result.fast = flow.snapshot();
  result.slow_proof = check(result.slow);
  result.fast_proof = check(result.fast);
  return result;
}

Bracket LongCurve::State::bracket(double time) const {
  std::optional<std::size_t> before;  // the last station that is known not to be faster
  // The fastest one has no piece of its own.
  for (std::size_t i = 0; i == 0 || i + 1 < stations.size(); ++i) {
    if (stations[i].long_time && static_cast<double>(*stations[i].long_time) >= time) before = i;
  }
  if (!before) return walked(std::nullopt, time);
  const bool is_last = *before + 1 == stations.size();
  const bool next_is_known = is_last || stations[*before + 1].long_time.has_value();
  if (next_is_known) {
    if (auto result = continued(*before)) return std::move(*result);
  }
  // The nearest slower solution that can be continued is the shortest way.
  std::optional<FlowSnapshot> from;
  for (std::size_t i = *before + 1; !from && i-- > 0;) {
    if (!stations[i].long_time) continue;
    from = extended(solver_at(i).snapshot());
    if (from && !check(*from).optimal()) from.reset();
  }
  return walked(from, time);
}

/// Slow and fast end in ticks; nothing when one is not known from the shorter pipeline.
std::optional<std::pair<double, double>> LongCurve::State::ends(const CurveOptions& options) const {
  const auto reached = std::find_if(stations.begin(), stations.end(), [&](const Station& station) {
    return !options.least_slope || hulls.grid.watts(station.slope) >= *options.least_slope;
  });
  const Station& slow = reached == stations.end() ? stations.back() : *reached;
  if (!slow.long_time || !stations.back().long_time) return std::nullopt;
  return std::pair{static_cast<double>(*slow.long_time), static_cast<double>(*stations.back().long_time)};
}

Result<LongCurve> LongCurve::solve(const LongPipeline& pipeline, std::size_t points, const CurveOptions& options) {
  if (pipeline.stages < 1 || pipeline.microbatches < 1) {
    return fail(ErrorCode::bad_input, "a pipeline has at least one stage and one microbatch");
  }
  if (pipeline.functions.size() != 2 * static_cast<std::size_t>(pipeline.stages)) {
    return fail(ErrorCode::bad_input, fmt::format("{} functions for {} stages: two per stage are needed",
                                                  pipeline.functions.size(), pipeline.stages));
  }
  if (points < 2) return fail(ErrorCode::bad_input, "a curve has at least two points");

  auto state = std::make_shared<State>();
  auto dag = build_dag(one_forward_one_backward(pipeline.stages, pipeline.microbatches), pipeline.fixed);
  if (!dag) return tl::unexpected(std::move(dag).error());
  auto hulls = make_hulls(pipeline.functions, *dag);
  if (!hulls) return tl::unexpected(std::move(hulls).error());
  state->hulls = std::move(*hulls);
  const Grid& grid = state->hulls.grid;
  state->precedences = precedences_of(*dag, grid);
  state->longer.events = index_events(std::move(*dag), pipeline.microbatches, grid);
  state->longer.function_of = functions_of(state->longer.events);

  std::optional<std::pair<double, double>> ends;
  for (int microbatches = std::min(pipeline.microbatches, kMicrobatchesPerStage * pipeline.stages); !ends;
       microbatches = pipeline.microbatches) {
    auto shorter = build_dag(one_forward_one_backward(pipeline.stages, microbatches), pipeline.fixed);
    if (!shorter) return tl::unexpected(std::move(shorter).error());
    state->stations.clear();
    state->snapshots = Snapshots();
    state->shorter.events = index_events(std::move(*shorter), microbatches, grid);
    state->shorter.function_of = functions_of(state->shorter.events);
    state->solve_shorter();
    ends = state->ends(options);
    KAREUS_CHECK(ends || !state->same_length());
  }

  LongCurve curve;
  const auto [slow, fast] = *ends;
  for (std::size_t i = 0; i < points; ++i) {
    const double time = slow + (fast - slow) * (static_cast<double>(i) / static_cast<double>(points - 1));
    state->times.push_back(std::clamp(time, fast, slow));
    const Bracket bracket = state->bracket(state->times.back());
    const double part = part_of(bracket, state->times.back(), state->longer.events.graph);
    const Certificate& slower = bracket.slow_proof;
    Certificate faster = bracket.fast_proof;
    faster.feasible = faster.feasible && slower.feasible;
    faster.complementary = faster.complementary && slower.complementary && slower.primal == slower.dual;
    curve.points_.push_back({.time = grid.seconds(time),
                             .effective_energy = Joules(slower.primal + part * (faster.primal - slower.primal)),
                             .slope = grid.watts(bracket.slope),
                             .certificate = faster,
                             .from_steady_state = bracket.from_steady_state && !state->same_length()});
  }
  curve.state_ = std::move(state);
  return curve;
}

std::vector<Seconds> LongCurve::durations(std::size_t point) const {
  KAREUS_CHECK(point < points_.size());
  const State& state = *state_;
  const EventGraph& graph = state.longer.events.graph;
  const Bracket bracket = state.bracket(state.times[point]);
  const double part = part_of(bracket, state.times[point], graph);
  std::vector<Seconds> result(graph.node_count);
  for (std::size_t node = 0; node < graph.node_count; ++node) {
    const auto [tail, head] = graph.arcs[node];
    const auto slow = static_cast<double>(bracket.slow.times[head] - bracket.slow.times[tail]);
    const auto fast = static_cast<double>(bracket.fast.times[head] - bracket.fast.times[tail]);
    const auto limit = static_cast<double>(state.hulls.functions[state.longer.function_of[node]].slowest());
    result[node] = state.hulls.grid.seconds(std::min(slow + part * (fast - slow), limit));
  }
  return result;
}

int LongCurve::solved_microbatches() const {
  return state_->shorter.events.microbatches;
}

}  // namespace kareus::pipeline
