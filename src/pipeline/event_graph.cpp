#include "pipeline/event_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kareus::pipeline {
namespace {

/// Disjoint sets of events, path halving; the smallest member leads.
class Events {
 public:
  explicit Events(std::size_t count) : leader_(count) { std::iota(leader_.begin(), leader_.end(), std::size_t{0}); }

  std::size_t find(std::size_t event) {
    while (leader_[event] != event) event = leader_[event] = leader_[leader_[event]];
    return event;
  }
  void merge(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    leader_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> leader_;
};

/// Tails are listed per node or not at all.
std::int64_t tail_of(const Dag& dag, std::size_t node, const Grid& grid) {
  return dag.tail.empty() ? 0 : grid.ticks(dag.tail[node]);
}

struct FixedArc {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t length = 0;
  EventGraph::Origin origin;
};

}  // namespace

EventGraph make_event_graph(const Dag& dag, const Grid& grid) {
  const std::size_t n = dag.nodes.size();
  const auto begin_of = [](std::size_t node) { return 2 * node; };
  const auto end_of = [](std::size_t node) { return 2 * node + 1; };
  const std::size_t source = 2 * n;
  const std::size_t sink = 2 * n + 1;

  std::vector<std::uint32_t> successors(n, 0);  // begins, and the end of the iteration where there is a tail
  for (std::size_t node = 0; node < n; ++node) {
    if (tail_of(dag, node, grid) > 0) ++successors[node];
    for (const Dag::Predecessor& predecessor : dag.predecessors[node]) {
      KAREUS_CHECK(predecessor.node < node);
      ++successors[predecessor.node];
    }
  }
  Events events(2 * n + 2);
  std::vector<FixedArc> fixed;
  for (std::size_t node = 0; node < n; ++node) {
    if (dag.predecessors[node].empty()) events.merge(source, begin_of(node));
    if (successors[node] == 0) events.merge(end_of(node), sink);
    if (const std::int64_t tail = tail_of(dag, node, grid); tail > 0) {
      fixed.push_back({end_of(node), sink, tail, {static_cast<std::uint32_t>(node), EventGraph::Origin::kTail}});
    }
    for (std::uint32_t p = 0; p < dag.predecessors[node].size(); ++p) {
      const Dag::Predecessor& predecessor = dag.predecessors[node][p];
      const std::int64_t lag = grid.ticks(predecessor.lag);
      if (lag == 0 && (dag.predecessors[node].size() == 1 || successors[predecessor.node] == 1)) {
        events.merge(end_of(predecessor.node), begin_of(node));
      } else {
        fixed.push_back({end_of(predecessor.node), begin_of(node), lag, {static_cast<std::uint32_t>(node), p}});
      }
    }
  }

  EventGraph graph;
  graph.node_count = n;
  constexpr std::uint32_t kUnnumbered = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(2 * n + 2, kUnnumbered);
  const auto vertex = [&](std::size_t event) {
    std::uint32_t& v = number[events.find(event)];
    if (v == kUnnumbered) v = graph.vertices++;
    return v;
  };
  graph.source = vertex(source);
  graph.arcs.reserve(n + fixed.size());
  for (std::size_t node = 0; node < n; ++node) {
    const std::uint32_t tail = vertex(begin_of(node));
    graph.arcs.push_back({tail, vertex(end_of(node))});
  }
  graph.sink = vertex(sink);
  graph.lengths.reserve(fixed.size());
  graph.origins.reserve(fixed.size());
  for (const FixedArc& arc : fixed) {
    graph.arcs.push_back({vertex(arc.from), vertex(arc.to)});
    graph.lengths.push_back(arc.length);
    graph.origins.push_back(arc.origin);
  }
  return graph;
}

std::vector<std::int64_t> earliest_events(const EventGraph& graph, std::span<const std::int64_t> durations) {
  std::vector<std::int64_t> time(graph.vertices, 0);
  std::size_t fixed = 0;
  const auto relax = [&](const EventGraph::Arc& arc, std::int64_t length) {
    time[arc.head] = std::max(time[arc.head], time[arc.tail] + length);
  };
  for (std::size_t node = 0; node < graph.node_count; ++node) {
    const std::size_t first = fixed;
    for (; fixed < graph.origins.size() && graph.origins[fixed].node == node; ++fixed) {
      relax(graph.arcs[graph.node_count + fixed], graph.lengths[fixed]);
    }
    relax(graph.arcs[node], durations[node]);
    // A tail is listed first but leaves the end of the node.
    if (first < fixed && graph.origins[first].predecessor == EventGraph::Origin::kTail) {
      relax(graph.arcs[graph.node_count + first], graph.lengths[first]);
    }
  }
  return time;
}

}  // namespace kareus::pipeline
