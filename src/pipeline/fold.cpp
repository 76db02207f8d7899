#include "pipeline/fold.hpp"

#include <algorithm>
#include <utility>

namespace kareus::pipeline {
namespace {

/// Forwards of a stage before those that alternate with its backwards.
std::size_t warm_up(std::size_t stages, std::size_t stage) {
  return stages - 1 - stage;
}

/// The hull of `count` forwards and as many backwards that share their time as is cheapest: their slopes in order.
Hull fold_hull(const Hull& forward, const Hull& backward, std::int64_t count) {
  Hull result{.ticks = {count * (forward.slowest() + backward.slowest())},
              .slopes = {0},
              .slowest_energy = static_cast<double>(count) * (forward.slowest_energy + backward.slowest_energy)};
  std::size_t f = 1;
  std::size_t b = 1;
  while (f < forward.slopes.size() || b < backward.slopes.size()) {
    const bool is_forward =
        b == backward.slopes.size() || (f < forward.slopes.size() && forward.slopes[f] <= backward.slopes[b]);
    const Hull& hull = is_forward ? forward : backward;
    std::size_t& k = is_forward ? f : b;
    const std::int64_t ticks = result.ticks.back() - count * (hull.ticks[k - 1] - hull.ticks[k]);
    if (hull.slopes[k] == result.slopes.back()) {
      result.ticks.back() = ticks;
    } else {
      result.ticks.push_back(ticks);
      result.slopes.push_back(hull.slopes[k]);
    }
    ++k;
  }
  return result;
}

/// Puts a node before position `cuts[stage]` of every stage, and cuts what waits across the folds.
Dag insert_folds(const Dag& dag, const std::vector<std::size_t>& cuts) {
  Dag result;
  result.stages = dag.stages;
  result.node_at.resize(dag.node_at.size());
  std::vector<std::uint32_t> number(dag.size());
  const auto is_behind = [&](std::uint32_t node) {
    const auto stage = static_cast<std::size_t>(dag.nodes[node].stage);
    return static_cast<std::size_t>(dag.nodes[node].position) >= cuts[stage];
  };
  const auto add = [&](Dag::Node node, std::vector<Dag::Predecessor> predecessors, Seconds tail) {
    auto& chain = result.node_at[static_cast<std::size_t>(node.stage)];
    node.position = static_cast<int>(chain.size());
    chain.push_back(static_cast<std::uint32_t>(result.size()));
    result.nodes.push_back(node);
    result.predecessors.push_back(std::move(predecessors));
    result.tail.push_back(tail);
  };
  for (std::uint32_t node = 0; node < dag.size(); ++node) {
    const Dag::Node& original = dag.nodes[node];
    const auto stage = static_cast<std::size_t>(original.stage);
    if (static_cast<std::size_t>(original.position) == cuts[stage]) {
      add(original, {{result.node_at[stage].back(), Seconds(0)}}, Seconds(0));
    }
    std::vector<Dag::Predecessor> predecessors;
    if (original.position > 0) predecessors.push_back({result.node_at[stage].back(), Seconds(0)});
    for (const auto& [before, lag] : dag.predecessors[node]) {
      const bool is_cross = dag.nodes[before].stage != original.stage;
      if (is_cross && is_behind(before) == is_behind(node)) predecessors.push_back({number[before], lag});
    }
    number[node] = static_cast<std::uint32_t>(result.size());
    add(original, std::move(predecessors), dag.tail[node]);
  }
  return result;
}

}  // namespace

PipelineEvents pipeline_events(Dag dag, const Grid& grid) {
  PipelineEvents result{.dag = std::move(dag), .graph = {}, .function_of = {}, .arcs_of = {}};
  result.graph = make_event_graph(result.dag, grid);
  result.function_of.reserve(result.dag.size());
  for (const Dag::Node& node : result.dag.nodes) {
    const bool forward = node.operation.kind == OperationKind::forward;
    result.function_of.push_back(static_cast<std::uint32_t>(forward ? node.stage : result.dag.stages + node.stage));
  }
  result.arcs_of.resize(result.dag.size());
  for (std::uint32_t i = 0; i < result.graph.origins.size(); ++i) {
    const auto [node, predecessor] = result.graph.origins[i];
    const auto arc = static_cast<std::uint32_t>(result.graph.node_count) + i;
    PipelineEvents::NodeArcs& arcs = result.arcs_of[node];
    if (predecessor == EventGraph::Origin::kTail) {
      arcs.tail = arc;
      continue;
    }
    const std::uint32_t before = result.dag.predecessors[node][predecessor].node;
    (result.dag.nodes[before].stage == result.dag.nodes[node].stage ? arcs.chain : arcs.cross) = arc;
  }
  return result;
}

int kept_microbatches(int stages, int kept_pairs) {
  return stages + 2 * kept_pairs;
}

Result<FoldedPipeline> fold(int stages, int microbatches, int kept_pairs, const FixedTimes& fixed,
                            const HullSet& hulls) {
  const int kept = kept_microbatches(stages, kept_pairs);
  KAREUS_CHECK(kept < microbatches);
  FoldedPipeline result{.events = {}, .hulls = hulls, .cuts = {}, .folded = microbatches - kept, .fixed = fixed};
  auto dag = build_dag(one_forward_one_backward(stages, kept), fixed);
  if (!dag) return tl::unexpected(std::move(dag).error());
  const auto count = static_cast<std::size_t>(stages);
  for (std::size_t stage = 0; stage < count; ++stage) {
    // What starts and ends the iteration spreads by one stage a microbatch: later stages keep more on both sides.
    const std::size_t pairs = static_cast<std::size_t>(kept_pairs) + stage / 2;
    result.cuts.push_back(warm_up(count, stage) + 2 * pairs);
    result.hulls.functions.push_back(fold_hull(hulls.functions[stage], hulls.functions[count + stage], result.folded));
  }
  result.events = pipeline_events(insert_folds(*dag, result.cuts), hulls.grid);
  for (std::size_t stage = 0; stage < count; ++stage) {
    result.events.function_of[result.fold_of(stage)] = static_cast<std::uint32_t>(2 * count + stage);
  }
  return result;
}

}  // namespace kareus::pipeline
