#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kareus/pipeline.hpp"
#include "pipeline/hull.hpp"

namespace kareus::pipeline {

/// The pipeline as events (begin and end of nodes) joined by arcs that say how far apart in time they must be: one arc
/// per node, in the nodes' order, then arcs of fixed length for precedences, lags and tails.
///
/// A begin that waits for one end only may be taken to be that end, and an end that only one begin waits for may be
/// taken to be that begin, when no lag lies between: neither changes what durations are possible within a given
/// iteration time. Such events are one vertex here.
struct EventGraph {
  struct Arc {
    std::uint32_t tail = 0;
    std::uint32_t head = 0;
  };
  std::vector<Arc> arcs;
  std::size_t node_count = 0;         ///< arcs[i] for i < node_count belongs to node i; the others are fixed
  std::vector<std::int64_t> lengths;  ///< ticks, of the fixed arcs: lengths[i] is of arcs[node_count + i]
  /// What a fixed arc stands for: a predecessor of a node (which one of its list), or its tail.
  struct Origin {
    static constexpr std::uint32_t kTail = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t node = 0;
    std::uint32_t predecessor = kTail;
  };
  std::vector<Origin> origins;  ///< of the fixed arcs, as lengths: ascending in node, of a node its tail first
  std::uint32_t vertices = 0;
  std::uint32_t source = 0;  ///< begin of the iteration
  std::uint32_t sink = 0;    ///< its end
};

EventGraph make_event_graph(const Dag& dag, const Grid& grid);

/// Earliest time of every event, ticks, when every node takes its duration (ticks). The sink's is the iteration time.
std::vector<std::int64_t> earliest_events(const EventGraph& graph, std::span<const std::int64_t> durations);

}  // namespace kareus::pipeline
