#pragma once

#include <cstdint>
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

/// A flow on the event graph and what it leaves open.
///
/// A node's arc is a bundle of parallel arcs: one per hull point, as long as the point's duration and as wide as the
/// step to the next slope. A bundle fills from its longest arc on, so its state is its flow and the arc being filled,
/// and it offers one residual arc each way however many points the hull has.
class ResidualGraph {
 public:
  static constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;

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

  /// Without flow. `graph` and `hulls` must outlive the object and its copies.
  ResidualGraph(const EventGraph& graph, std::span<const std::uint32_t> function_of, const HullSet& hulls);

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  std::uint32_t first(std::uint32_t vertex) const { return first_[vertex]; }  ///< of its halves
  std::uint32_t end(std::uint32_t vertex) const { return first_[vertex + 1]; }
  const Half& half(std::uint32_t h) const { return halves_[h]; }
  /// Whether flow can go in or out through a half that a vertex lists, along an arc that is tight at these times.
  static bool is_open_in(std::span<const std::int64_t> times, std::uint32_t vertex, const Half& half) {
    return half.in.capacity > 0 && times[vertex] - times[half.other] == half.in.length;
  }
  static bool is_open_out(std::span<const std::int64_t> times, std::uint32_t vertex, const Half& half) {
    return half.out.capacity > 0 && times[half.other] - times[vertex] == half.out.length;
  }
  /// The vertex that lists the half.
  std::uint32_t owner_of(std::uint32_t h) const { return halves_[half_of_[halves_[h].arc_and_end ^ 1U]].other; }

  const std::vector<std::int64_t>& flows() const { return flows_; }
  std::int64_t flow(std::uint32_t arc) const { return flows_[arc]; }
  void set_flow(std::uint32_t arc, std::int64_t flow) {
    flows_[arc] = flow;
    refresh(arc);
  }
  /// Sends flow through a half to the vertex that lists it.
  void push(std::uint32_t h, std::int64_t amount) {
    const std::uint32_t arc = halves_[h].arc_and_end / 2;
    flows_[arc] += halves_[h].arc_and_end % 2 == 0 ? amount : -amount;
    refresh(arc);
  }

  /// The flows that an arc may have when its ends are `window` apart and the times are optimal. The window must not be
  /// shorter than the arc can be.
  struct Bounds {
    std::int64_t least = 0;
    std::int64_t most = kUnlimited;
  };
  Bounds bounds(std::uint32_t arc, std::int64_t window) const;

 private:
  void refresh(std::uint32_t arc);

  std::vector<const Hull*> hull_of_arc_;  ///< nullptr: of fixed length
  std::span<const std::int64_t> fixed_lengths_;
  std::vector<std::uint32_t> first_;
  std::vector<Half> halves_;
  std::vector<std::uint32_t> half_of_;  ///< per arc_and_end, where its half is
  std::vector<std::int64_t> flows_;
  std::vector<std::uint32_t> segment_;  ///< per node, the hull point whose arc is being filled
};

}  // namespace kareus::pipeline
