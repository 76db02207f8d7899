#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kareus/pipeline.hpp"
#include "pipeline/certificate.hpp"
#include "pipeline/event_graph.hpp"
#include "pipeline/hull.hpp"
#include "pipeline/parametric_flow.hpp"

namespace kareus::pipeline {
namespace {

/// Memory that the snapshots of a curve may take.
constexpr std::size_t kSnapshotBytes = std::size_t{48} << 20;

/// Snapshots of the solver at every so many breakpoints; any other breakpoint is a few steps from one. When they
/// grow beyond the limit every second one is dropped.
class Snapshots {
 public:
  void offer(std::size_t breakpoint, const ParametricFlow& flow) {
    if (breakpoint % interval_ != 0) return;
    kept_.push_back(flow.snapshot());
    const std::size_t bytes = (kept_.back().times.size() + kept_.back().flows.size()) * sizeof(std::int64_t);
    if (kept_.size() > 2 && kept_.size() * bytes > kSnapshotBytes) {
      for (std::size_t i = 1; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
      kept_.resize((kept_.size() + 1) / 2);
      interval_ *= 2;
    }
  }
  /// Puts `flow` at the last snapshot not after the breakpoint; returns how many steps are missing.
  std::size_t restore(std::size_t breakpoint, ParametricFlow& flow) const {
    flow.restore(kept_[breakpoint / interval_]);
    return breakpoint % interval_;
  }

 private:
  std::size_t interval_ = 1;
  std::vector<FlowSnapshot> kept_;
};

}  // namespace

struct Curve::State {
  std::vector<std::vector<std::uint32_t>> predecessors;
  std::vector<std::uint32_t> function_of;
  HullSet hulls;
  EventGraph graph;
  std::optional<ParametricFlow> start;  ///< the solver at the slowest end
  std::vector<std::int64_t> times;      ///< of the breakpoints, ticks
  Snapshots snapshots;

  /// The solver at a breakpoint, with the flow that comes from the slower side.
  ParametricFlow solver_at(std::size_t breakpoint) const {
    ParametricFlow flow = *start;
    for (std::size_t steps = snapshots.restore(breakpoint, flow); steps > 0; --steps) {
      flow.saturate();
      flow.speed_up();
    }
    return flow;
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

Result<Curve> Curve::solve(const Dag& dag, std::span<const std::uint32_t> function_of,
                           std::span<const std::vector<NodeOption>> functions) {
  if (dag.nodes.empty()) return fail(ErrorCode::bad_input, "the pipeline has no instructions");
  if (function_of.size() != dag.nodes.size()) {
    return fail(ErrorCode::bad_input,
                fmt::format("{} instructions but functions for {}", dag.nodes.size(), function_of.size()));
  }
  for (const std::uint32_t function : function_of) {
    if (function >= functions.size()) {
      return fail(ErrorCode::bad_input, fmt::format("there is no function {}", function));
    }
  }
  auto hulls = make_hulls(functions, dag.nodes.size());
  if (!hulls) return tl::unexpected(std::move(hulls).error());

  auto state = std::make_shared<State>();
  state->predecessors = dag.predecessors;
  state->function_of.assign(function_of.begin(), function_of.end());
  state->hulls = std::move(*hulls);
  state->graph = make_event_graph(dag);
  state->start.emplace(dag, state->graph, state->function_of, state->hulls.functions);

  const Grid& grid = state->hulls.grid;
  Joules cheapest(0);
  for (const std::uint32_t function : function_of) cheapest += state->hulls.functions[function].slowest_energy;
  Curve curve;
  ParametricFlow flow = *state->start;
  Wide energy = 0;
  for (;;) {
    state->snapshots.offer(state->times.size(), flow);
    state->times.push_back(flow.iteration_time());
    curve.breakpoints_.push_back({.time = grid.seconds(static_cast<double>(flow.iteration_time())),
                                  .effective_energy = cheapest + grid.joules(energy),
                                  .slope = grid.watts(flow.flow_value())});
    const std::int64_t slower_slope = flow.flow_value();
    if (!flow.saturate()) {
      curve.breakpoints_.back().slope = grid.watts(slower_slope);
      break;
    }
    curve.breakpoints_.back().slope = grid.watts(flow.flow_value());
    energy += Wide{flow.flow_value()} * flow.speed_up();
  }
  curve.state_ = std::move(state);
  return curve;
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

// Between two breakpoints the energy is linear, so mixing the event times of both is feasible and, by convexity of the
// nodes' energies, no dearer than the line: optimal.
std::vector<Seconds> Curve::durations(Seconds time) const {
  const Grid& grid = state_->hulls.grid;
  const Seconds wanted = std::clamp(time, fastest(), slowest());
  const auto faster = std::partition_point(breakpoints_.begin(), breakpoints_.end(),
                                           [&](const Breakpoint& point) { return point.time > wanted; });
  // `wanted` lies in (faster, slower], or is the fastest time itself.
  const auto index = static_cast<std::size_t>(faster - breakpoints_.begin());
  const bool exact = faster->time == wanted;
  ParametricFlow flow = state_->solver_at(exact ? index : index - 1);
  const std::vector<std::int64_t> slow = state_->windows(flow);
  std::vector<std::int64_t> fast = slow;
  double part = 0;
  if (!exact) {
    flow.saturate();
    flow.speed_up();
    fast = state_->windows(flow);
    part = (breakpoints_[index - 1].time - wanted) / (breakpoints_[index - 1].time - faster->time);
  }
  std::vector<Seconds> result(slow.size());
  for (std::size_t node = 0; node < slow.size(); ++node) {
    const auto limit = static_cast<double>(state_->hulls.functions[state_->function_of[node]].slowest());
    const auto from = static_cast<double>(slow[node]);
    const double window = from + part * (static_cast<double>(fast[node]) - from);
    result[node] = grid.seconds(std::min(window, limit));
  }
  return result;
}

Certificate Curve::certify(std::size_t index) const {
  KAREUS_CHECK(index < breakpoints_.size());
  const FlowSnapshot solution = state_->solver_at(index).snapshot();
  return check_claim({.predecessors = state_->predecessors,
                      .graph = state_->graph,
                      .function_of = state_->function_of,
                      .hulls = state_->hulls,
                      .solution = solution});
}

}  // namespace kareus::pipeline
