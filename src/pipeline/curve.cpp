#include "kareus/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pipeline/certificate.hpp"
#include "pipeline/curve_snapshots.hpp"
#include "pipeline/event_graph.hpp"
#include "pipeline/hull.hpp"
#include "pipeline/parametric_flow.hpp"

namespace kareus::pipeline {
namespace {

Result<HullSet> checked_hulls(const Dag& dag, const NodeCosts& costs) {
  if (dag.nodes.empty()) return fail(ErrorCode::bad_input, "the pipeline has no instructions");
  if (costs.function_of.size() != dag.nodes.size()) {
    return fail(ErrorCode::bad_input,
                fmt::format("{} instructions but functions for {}", dag.nodes.size(), costs.function_of.size()));
  }
  if (!dag.tail.empty() && dag.tail.size() != dag.nodes.size()) {
    return fail(ErrorCode::bad_input,
                fmt::format("{} instructions but tails for {}", dag.nodes.size(), dag.tail.size()));
  }
  for (const std::uint32_t function : costs.function_of) {
    if (function >= costs.functions.size()) {
      return fail(ErrorCode::bad_input, fmt::format("there is no function {}", function));
    }
  }
  return make_hulls(costs.functions, dag);
}

}  // namespace

struct Curve::State {
  Precedences precedences;
  std::vector<std::size_t> first_precedence{0};  ///< per node, where its own begin
  std::vector<std::uint32_t> function_of;
  HullSet hulls;
  EventGraph graph;
  std::optional<ParametricFlow> start;  ///< the solver at the slowest end
  Snapshots snapshots;

  /// The solver at a breakpoint, with the flow that goes on to the faster side.
  ParametricFlow solver_at(std::size_t breakpoint) const {
    ParametricFlow flow = *start;
    for (std::size_t steps = snapshots.restore(breakpoint, flow); steps > 0; --steps) {
      flow.speed_up();
      flow.saturate();
    }
    return flow;
  }

  Certificate check(const ParametricFlow& flow) const {
    const FlowSnapshot solution = flow.snapshot();
    return check_claim(
        {.precedences = precedences, .graph = graph, .function_of = function_of, .hulls = hulls, .solution = solution});
  }

  /// Of every precedence, in the DAG's order. An edge without an arc of its own is all that enters its node's begin, or
  /// all that leaves its predecessor's end.
  std::vector<Watts> precedence_flows(const std::vector<std::int64_t>& flows) const {
    std::vector<std::int64_t> result;
    for (const auto& [before, after, lag] : precedences.all) {
      result.push_back(flows[first_precedence[after + 1] - first_precedence[after] == 1 ? after : before]);
    }
    for (std::size_t i = 0; i < graph.origins.size(); ++i) {
      const EventGraph::Origin& origin = graph.origins[i];
      if (origin.predecessor == EventGraph::Origin::kTail) continue;
      result[first_precedence[origin.node] + origin.predecessor] = flows[graph.node_count + i];
    }
    return watts(result);
  }
  std::vector<Watts> watts(std::span<const std::int64_t> flows) const {
    std::vector<Watts> result;
    result.reserve(flows.size());
    for (const std::int64_t flow : flows) result.push_back(hulls.grid.watts(flow));
    return result;
  }

  /// Time between begin and end of every node.
  std::vector<std::int64_t> windows(const ParametricFlow& flow) const {
    std::vector<std::int64_t> result(graph.node_count);
    for (std::size_t node = 0; node < graph.node_count; ++node) {
      result[node] = flow.times()[graph.arcs[node].head] - flow.times()[graph.arcs[node].tail];
    }
    return result;
  }
};

Result<Curve> Curve::solve(const Dag& dag, const NodeCosts& costs, const CurveOptions& options) {
  auto hulls = checked_hulls(dag, costs);
  if (!hulls) return tl::unexpected(std::move(hulls).error());
  auto state = std::make_shared<State>();
  state->precedences = precedences_of(dag, hulls->grid);
  for (const auto& predecessors : dag.predecessors) {
    state->first_precedence.push_back(state->first_precedence.back() + predecessors.size());
  }
  state->function_of = costs.function_of;
  state->hulls = std::move(*hulls);
  state->graph = make_event_graph(dag, state->hulls.grid);
  state->start.emplace(state->graph, state->function_of, state->hulls);

  const Grid& grid = state->hulls.grid;
  Joules cheapest(0);
  for (const std::uint32_t function : costs.function_of) cheapest += state->hulls.functions[function].slowest_energy;
  Curve curve;
  ParametricFlow flow = *state->start;
  Wide energy = 0;
  for (;;) {
    const Watts slower_slope = grid.watts(flow.flow_value());
    const bool can_speed_up = flow.saturate();
    const Watts slope = can_speed_up ? grid.watts(flow.flow_value()) : slower_slope;
    // Pieces that are too flat are passed through, not recorded.
    if (!can_speed_up || !options.least_slope || slope >= *options.least_slope) {
      state->snapshots.offer(curve.breakpoints_.size(), flow);
      curve.breakpoints_.push_back({.time = grid.seconds(static_cast<double>(flow.iteration_time())),
                                    .effective_energy = cheapest + grid.joules(energy),
                                    .slope = slope});
    }
    if (!can_speed_up) break;
    energy += Wide{flow.flow_value()} * flow.speed_up();
  }
  curve.state_ = std::move(state);
  return curve;
}

std::vector<Seconds> Curve::even_times(std::size_t count) const {
  KAREUS_CHECK(count >= 2);
  std::vector<Seconds> times;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    times.push_back(fastest() + (slowest() - fastest()) * share);
  }
  return times;
}

Joules Curve::at(Seconds time) const {
  if (time >= slowest()) return breakpoints_.front().effective_energy;
  if (time <= fastest()) return breakpoints_.back().effective_energy;
  const auto faster = std::partition_point(breakpoints_.begin(), breakpoints_.end(),
                                           [&](const Breakpoint& point) { return point.time > time; });
  const Breakpoint& slower = *std::prev(faster);
  const double part = (slower.time - time) / (slower.time - faster->time);
  return slower.effective_energy + part * (faster->effective_energy - slower.effective_energy);
}

Watts Curve::slope_at(Seconds time) const {
  if (time <= fastest()) return breakpoints_.back().slope;
  const auto faster = std::partition_point(breakpoints_.begin(), breakpoints_.end(),
                                           [&](const Breakpoint& point) { return point.time >= time; });
  return faster == breakpoints_.begin() ? Watts(0) : std::prev(faster)->slope;
}

// Between two breakpoints the energy is linear, so mixing the event times of both is feasible and, by convexity of the
// nodes' energies, no dearer than the line: optimal.
CurvePoint Curve::point(Seconds time) const {
  const Grid& grid = state_->hulls.grid;
  const Seconds wanted = std::clamp(time, fastest(), slowest());
  const auto faster = std::partition_point(breakpoints_.begin(), breakpoints_.end(),
                                           [&](const Breakpoint& point) { return point.time > wanted; });
  // `wanted` lies in (faster, slower], or is the fastest time itself.
  const auto index = static_cast<std::size_t>(faster - breakpoints_.begin());
  const bool exact = faster->time == wanted;
  ParametricFlow flow = state_->solver_at(exact ? index : index - 1);
  const FlowSnapshot optimum = flow.snapshot();
  const Watts slope = grid.watts(flow.flow_value());
  const std::vector<std::int64_t> slow = state_->windows(flow);
  std::vector<std::int64_t> fast = slow;
  double part = 0;
  if (!exact) {
    flow.speed_up();
    fast = state_->windows(flow);
    part = (breakpoints_[index - 1].time - wanted) / (breakpoints_[index - 1].time - faster->time);
  }
  CurvePoint result{.durations = std::vector<Seconds>(slow.size()),
                    .node_price = state_->watts(std::span(optimum.flows).first(slow.size())),
                    .predecessor_price = state_->precedence_flows(optimum.flows),
                    .slope = slope};
  for (std::size_t node = 0; node < slow.size(); ++node) {
    const auto limit = static_cast<double>(state_->hulls.functions[state_->function_of[node]].slowest());
    const auto from = static_cast<double>(slow[node]);
    const double window = from + part * (static_cast<double>(fast[node]) - from);
    result.durations[node] = grid.seconds(std::min(window, limit));
  }
  return result;
}

Certificate Curve::certify(std::size_t index) const {
  KAREUS_CHECK(index < breakpoints_.size());
  return state_->check(state_->solver_at(index));
}

// The solver goes along once more, from the first breakpoint; every certificate is from scratch.
std::optional<std::size_t> Curve::first_uncertified() const {
  ParametricFlow flow = state_->solver_at(0);
  for (std::size_t index = 0; index < breakpoints_.size(); ++index) {
    if (index > 0) {
      flow.speed_up();
      flow.saturate();
    }
    const Certificate certificate = state_->check(flow);
    const Seconds time = state_->hulls.grid.seconds(static_cast<double>(flow.iteration_time()));
    const Breakpoint& claimed = breakpoints_[index];
    if (!certificate.optimal() || claimed.time != time || claimed.effective_energy != Joules(certificate.primal)) {
      return index;
    }
  }
  return std::nullopt;
}

}  // namespace kareus::pipeline
