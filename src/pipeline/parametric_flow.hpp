#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pipeline/event_graph.hpp"
#include "pipeline/hull.hpp"

namespace kareus::pipeline {

/// Event times and the flow that proves them optimal; enough to go on from there.
struct FlowSnapshot {
  std::vector<std::int64_t> times;  ///< per vertex; the sink's minus the source's is the iteration time
  std::vector<std::int64_t> flows;  ///< per arc
};

/// The min-cost flow dual of the time-energy trade-off, followed from the slowest iteration to the fastest.
///
/// The least energy within T is max over L of (length of the longest flow of value L, minus L T), where a node's arc
/// is a bundle of parallel arcs: one per hull point, as long as the point's duration and as wide as the step to the
/// next slope (Fulkerson 1961; Phillips and Dessouky 1977). Augmenting along longest residual paths makes every path
/// length a breakpoint and the flow value the slope left of it. A bundle fills from its longest arc on, so its state is
/// its flow and the arc being filled, and it offers one residual arc each way however many points the hull has.
///
/// Calls alternate: `saturate`, then `speed_up`, until `saturate` says that no more is possible.
class ParametricFlow {
 public:
  /// Starts at the cheapest point of every node. `graph` and `hulls` must outlive the object and its copies.
  ParametricFlow(const Dag& dag, const EventGraph& graph, std::span<const std::uint32_t> function_of,
                 const HullSet& hulls);

  /// Sends as much flow as tight arcs take. False: an arc chain of nodes at their fastest would take any amount, the
  /// iteration cannot get faster.
  bool saturate();
  /// Moves event times together until a new residual path is tight; returns by how much the iteration got shorter. Only
  /// after a successful saturate().
  std::int64_t speed_up();

  std::int64_t iteration_time() const { return times_[sink_] - times_[source_]; }
  std::int64_t flow_value() const { return flow_value_; }
  const std::vector<std::int64_t>& times() const { return times_; }

  FlowSnapshot snapshot() const { return {times_, flows_}; }
  void restore(const FlowSnapshot& snapshot);

 private:
  static constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;
  static constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

  /// What an arc lets through one way.
  struct Residual {
    std::int64_t length = 0;    ///< of the next unit of flow; negative for taking flow back
    std::int64_t capacity = 0;  ///< units of that length; 0: nothing can go this way
  };
  /// An arc as one of its ends sees it. Both ends have their copy, so that a search in either direction reads one list.
  struct Half {
    Residual in;   ///< to this vertex
    Residual out;  ///< from this vertex
    std::uint32_t other = 0;
    std::uint32_t arc_and_end = 0;  ///< arc * 2, plus 1 at the tail
  };

  bool is_open_in(std::uint32_t vertex, const Half& half) const {
    return half.in.capacity > 0 && times_[vertex] - times_[half.other] == half.in.length;
  }
  bool is_open_out(std::uint32_t vertex, const Half& half) const {
    return half.out.capacity > 0 && times_[half.other] - times_[vertex] == half.out.length;
  }
  /// The vertex that lists the half.
  std::uint32_t owner_of(std::uint32_t half) const { return halves_[half_of_[halves_[half].arc_and_end ^ 1U]].other; }
  void link(const EventGraph& graph);
  void refresh(std::uint32_t arc);
  void push(std::uint32_t half, std::int64_t amount);
  bool find_levels();
  bool augment();
  std::size_t bottleneck() const;
  void settle(std::uint32_t vertex, std::int64_t distance);

  std::uint32_t source_;
  std::uint32_t sink_;
  std::vector<const Hull*> hull_of_arc_;  ///< nullptr: of fixed length
  std::span<const std::int64_t> fixed_lengths_;
  std::vector<std::uint32_t> first_;  ///< per vertex, where its halves begin
  std::vector<Half> halves_;
  std::vector<std::uint32_t> half_of_;  ///< per arc_and_end, where its half is

  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> flows_;
  std::vector<std::uint32_t> segment_;  ///< per node, the hull point whose arc is being filled
  std::int64_t flow_value_ = 0;

  // Scratch of the searches, kept to save allocation.
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> current_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> path_;
  std::vector<std::int64_t> distance_;
  std::vector<std::uint32_t> settled_;
  std::vector<std::uint32_t> tied_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> heap_;
  std::vector<std::uint32_t> reached_;
};

}  // namespace kareus::pipeline
