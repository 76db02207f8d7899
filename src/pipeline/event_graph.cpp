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

}  // namespace

EventGraph make_event_graph(const Dag& dag) {
  const std::size_t n = dag.nodes.size();
  const auto begin_of = [](std::size_t node) { return 2 * node; };
  const auto end_of = [](std::size_t node) { return 2 * node + 1; };
  const std::size_t source = 2 * n;
  const std::size_t sink = 2 * n + 1;

  std::vector<std::size_t> successors(n, 0);
  for (std::size_t node = 0; node < n; ++node) {
    for (const std::uint32_t predecessor : dag.predecessors[node]) {
      KAREUS_CHECK(predecessor < node);
      ++successors[predecessor];
    }
  }
  Events events(2 * n + 2);
  std::vector<std::pair<std::size_t, std::size_t>> precedences;
  for (std::size_t node = 0; node < n; ++node) {
    if (dag.predecessors[node].empty()) events.merge(source, begin_of(node));
    if (successors[node] == 0) events.merge(end_of(node), sink);
    for (const std::uint32_t predecessor : dag.predecessors[node]) {
      if (dag.predecessors[node].size() == 1 || successors[predecessor] == 1) {
        events.merge(end_of(predecessor), begin_of(node));
      } else {
        precedences.emplace_back(end_of(predecessor), begin_of(node));
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
  for (std::size_t node = 0; node < n; ++node) {
    const std::uint32_t tail = vertex(begin_of(node));
    graph.arcs.push_back({tail, vertex(end_of(node))});
  }
  graph.sink = vertex(sink);
  for (const auto& [from, to] : precedences) graph.arcs.push_back({vertex(from), vertex(to)});
  return graph;
}

std::vector<std::int64_t> earliest_events(const Dag& dag, const EventGraph& graph,
                                          const std::vector<std::int64_t>& durations) {
  std::vector<std::int64_t> time(graph.vertices, 0);
  for (std::size_t node = 0; node < graph.node_count; ++node) {
    const auto [begin, end] = graph.arcs[node];
    for (const std::uint32_t predecessor : dag.predecessors[node]) {
      time[begin] = std::max(time[begin], time[graph.arcs[predecessor].head]);
    }
    time[end] = std::max(time[end], time[begin] + durations[node]);
  }
  return time;
}

}  // namespace kareus::pipeline
