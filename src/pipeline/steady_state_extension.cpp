#include "pipeline/steady_state_extension.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kareus::pipeline {
namespace {

int direction_of(const Dag::Node& node) {
  return node.operation.kind == OperationKind::forward ? 0 : 1;
}

/// Flow on the arcs into a node from its predecessors (0 where an arc was merged away) and on its tail.
using Entering = std::array<std::int64_t, 3>;
constexpr std::size_t kTailSlot = 2;

std::vector<Entering> entering_flows(const EventGraph& graph, const FlowSnapshot& solution) {
  std::vector<Entering> result(graph.node_count, Entering{});
  for (std::size_t i = 0; i < graph.origins.size(); ++i) {
    const auto [node, predecessor] = graph.origins[i];
    const std::size_t slot = predecessor == EventGraph::Origin::kTail ? kTailSlot : predecessor;
    result[node][slot] = solution.flows[graph.node_count + i];
  }
  return result;
}

}  // namespace

PipelineEvents index_events(Dag dag, int microbatches, const Grid& grid) {
  PipelineEvents result{.dag = std::move(dag), .graph = {}, .microbatches = microbatches, .nodes = {}};
  result.graph = make_event_graph(result.dag, grid);
  result.nodes.resize(result.dag.size());
  for (std::uint32_t i = 0; i < result.dag.size(); ++i) {
    const Dag::Node& node = result.dag.nodes[i];
    const int row = 2 * node.stage + direction_of(node);
    result.nodes[static_cast<std::size_t>(row * microbatches + node.operation.microbatch)] = i;
  }
  return result;
}

std::optional<Repetition> find_repetition(const PipelineEvents& pipeline, const FlowSnapshot& solution) {
  const std::vector<Entering> entering = entering_flows(pipeline.graph, solution);
  const auto begin = [&](std::uint32_t node) { return solution.times[pipeline.graph.arcs[node].tail]; };
  const auto end = [&](std::uint32_t node) { return solution.times[pipeline.graph.arcs[node].head]; };
  Repetition best;
  Repetition run;
  for (int microbatch = 1; microbatch < pipeline.microbatches; ++microbatch) {
    const std::int64_t period = begin(pipeline.node(0, 0, microbatch)) - begin(pipeline.node(0, 0, microbatch - 1));
    bool repeats = true;
    for (int stage = 0; stage < pipeline.dag.stages && repeats; ++stage) {
      for (const int direction : {0, 1}) {
        const std::uint32_t a = pipeline.node(stage, direction, microbatch - 1);
        const std::uint32_t b = pipeline.node(stage, direction, microbatch);
        repeats = repeats && begin(b) - begin(a) == period && end(b) - end(a) == period &&
                  solution.flows[a] == solution.flows[b] && entering[a] == entering[b];
      }
    }
    if (!repeats) {
      run = {.first = microbatch, .last = microbatch, .period = 0};
    } else if (run.last > run.first && run.period != period) {
      run = {.first = microbatch - 1, .last = microbatch, .period = period};
    } else {
      run = {.first = run.first, .last = microbatch, .period = period};
    }
    if (run.last - run.first > best.last - best.first) best = run;
  }
  if (best.last - best.first < pipeline.dag.stages) return std::nullopt;
  return best;
}

FlowSnapshot extend(const PipelineEvents& shorter, const FlowSnapshot& solution, const Repetition& repetition,
                    const PipelineEvents& longer) {
  const int inserted = longer.microbatches - shorter.microbatches;
  // By how many microbatches to go back to find the like of operations on microbatches low..high.
  const auto back = [&](int low, int high) {
    if (high <= repetition.last) return 0;
    return low >= repetition.first + inserted ? inserted : high - repetition.last;
  };
  const auto like = [&](std::uint32_t node, int by) {
    const Dag::Node& of = longer.dag.nodes[node];
    return shorter.node(of.stage, direction_of(of), of.operation.microbatch - by);
  };
  const std::vector<Entering> entering = entering_flows(shorter.graph, solution);
  FlowSnapshot result{.times = std::vector<std::int64_t>(longer.graph.vertices),
                      .flows = std::vector<std::int64_t>(longer.graph.arcs.size())};
  result.times[longer.graph.source] = solution.times[shorter.graph.source];
  for (std::uint32_t node = 0; node < longer.dag.size(); ++node) {
    const int microbatch = longer.dag.nodes[node].operation.microbatch;
    const int by = back(microbatch, microbatch);
    const std::uint32_t original = like(node, by);
    const auto& [tail, head] = longer.graph.arcs[node];
    result.times[tail] = solution.times[shorter.graph.arcs[original].tail] + by * repetition.period;
    result.times[head] = solution.times[shorter.graph.arcs[original].head] + by * repetition.period;
    result.flows[node] = solution.flows[original];
  }
  result.times[longer.graph.sink] = solution.times[shorter.graph.sink] + inserted * repetition.period;
  for (std::size_t i = 0; i < longer.graph.origins.size(); ++i) {
    const auto [node, predecessor] = longer.graph.origins[i];
    const bool is_tail = predecessor == EventGraph::Origin::kTail;
    const int own = longer.dag.nodes[node].operation.microbatch;
    const std::uint32_t before = is_tail ? node : longer.dag.predecessors[node][predecessor].node;
    const int other = longer.dag.nodes[before].operation.microbatch;
    const int by = back(std::min(own, other), std::max(own, other));
    result.flows[longer.graph.node_count + i] = entering[like(node, by)][is_tail ? kTailSlot : predecessor];
  }
  return result;
}

}  // namespace kareus::pipeline
