#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pipeline/distance_queue.hpp"
#include "pipeline/residual_graph.hpp"

namespace kareus::pipeline {

/// The point of the curve where a second is worth a given power, without following the curve to it: a min-cost flow of
/// given value, from any feasible event times.
///
/// The flow that the times allow is kept, what it lacks at every vertex is an excess or a deficit there. Shortest
/// residual paths from all excesses at once move the events so that every deficit can be reached along tight arcs; a
/// blocking flow along those follows (the primal-dual method; Ahuja, Magnanti, Orlin, Network Flows, 9.8). Near a
/// solution there is little to move, and what has to happen in every microbatch alike happens in one round.
class SlopeFlow {
 public:
  /// `graph` and `hulls` must outlive the object.
  SlopeFlow(const EventGraph& graph, std::span<const std::uint32_t> function_of, const HullSet& hulls);

  /// Optimal event times and the flow of value `slope` (at least 0) that proves it. `guess`: times that respect every
  /// arc, and a flow that may be anything of at least 0; the nearer to the solution, the sooner it is found.
  FlowSnapshot solve(const FlowSnapshot& guess, std::int64_t slope);

 private:
  using Half = ResidualGraph::Half;
  static constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  static constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

  void start(const FlowSnapshot& guess, std::int64_t slope);
  bool has_excess();
  bool find_levels();
  void serve(std::uint32_t deficit);
  void send(std::uint32_t deficit);
  void step_back();
  void move_events();
  void settle(std::uint32_t vertex);

  std::uint32_t source_;
  std::uint32_t sink_;
  std::vector<EventGraph::Arc> arcs_;
  ResidualGraph residual_;
  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> excess_;    ///< per vertex; negative: a deficit
  std::vector<std::uint32_t> sources_;  ///< vertices that may have an excess

  // Scratch of the searches.
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> current_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> path_;
  std::uint32_t path_end_ = 0;
  std::vector<std::int64_t> distance_;
  std::vector<std::uint32_t> settled_;
  std::vector<std::uint32_t> reached_;
  DistanceQueue distances_;
};

}  // namespace kareus::pipeline
