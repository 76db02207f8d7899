#pragma once

#include <cstdint>
#include <vector>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

/// The pipeline as events (begin and end of nodes) joined by arcs that say how far apart in time they must be: one arc
/// per node, in the nodes' order, then precedences of length zero.
///
/// A begin that waits for one end only may be taken to be that end, and an end that only one begin waits for may be
/// taken to be that begin: neither changes what durations are possible within a given iteration time. Such events are
/// one vertex here.
struct EventGraph {
  struct Arc {
    std::uint32_t tail = 0;
    std::uint32_t head = 0;
  };
  std::vector<Arc> arcs;
  std::size_t node_count = 0;  ///< arcs[i] for i < node_count belongs to node i; the others are precedences
  std::uint32_t vertices = 0;
  std::uint32_t source = 0;  ///< begin of the iteration
  std::uint32_t sink = 0;    ///< its end
};

EventGraph make_event_graph(const Dag& dag);

/// Earliest time of every event.
std::vector<std::int64_t> earliest_events(const Dag& dag, const EventGraph& graph,
                                          const std::vector<std::int64_t>& durations);

}  // namespace kareus::pipeline
