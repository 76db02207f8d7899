#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pipeline/distance_queue.hpp"
#include "pipeline/residual_graph.hpp"

namespace kareus::pipeline {

/// The min-cost flow dual of the time-energy trade-off, followed from the slowest iteration to the fastest.
///
/// The least energy within T is max over L of (length of the longest flow of value L, minus L T) (Fulkerson 1961;
/// Phillips and Dessouky 1977). Augmenting along longest residual paths makes every path length a breakpoint and the
/// flow value the slope left of it.
///
/// Calls alternate: `saturate`, then `speed_up`, until `saturate` says that no more is possible.
class ParametricFlow {
 public:
  /// Starts at the cheapest point of every node. `graph` and `hulls` must outlive the object and its copies.
  ParametricFlow(const EventGraph& graph, std::span<const std::uint32_t> function_of, const HullSet& hulls);

  /// Sends as much flow as tight arcs take. False: an arc chain of nodes at their fastest would take any amount, the
  /// iteration cannot get faster.
  bool saturate();
  /// Moves event times together until a new residual path is tight; returns by how much the iteration got shorter. Only
  /// after a successful saturate().
  std::int64_t speed_up();

  std::int64_t iteration_time() const { return times_[sink_] - times_[source_]; }
  std::int64_t flow_value() const { return flow_value_; }
  const std::vector<std::int64_t>& times() const { return times_; }

  FlowSnapshot snapshot() const { return {times_, residual_.flows()}; }
  void restore(const FlowSnapshot& snapshot);

 private:
  static constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();
  using Half = ResidualGraph::Half;

  bool find_levels();
  bool augment();
  std::size_t bottleneck() const;
  void settle(std::uint32_t vertex);

  std::uint32_t source_;
  std::uint32_t sink_;
  ResidualGraph residual_;
  std::vector<std::int64_t> times_;
  std::int64_t flow_value_ = 0;

  // Scratch of the searches, kept to save allocation.
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> current_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> path_;
  std::vector<std::int64_t> distance_;
  std::vector<std::uint32_t> settled_;
  DistanceQueue distances_;
  std::vector<std::uint32_t> reached_;
};

}  // namespace kareus::pipeline
