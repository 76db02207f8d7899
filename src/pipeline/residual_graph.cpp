#include "pipeline/residual_graph.hpp"

namespace kareus::pipeline {

ResidualGraph::ResidualGraph(const EventGraph& graph, std::span<const std::uint32_t> function_of, const HullSet& hulls)
    : hull_of_arc_(graph.arcs.size(), nullptr),
      fixed_lengths_(graph.lengths),
      first_(graph.vertices + 1, 0),
      halves_(2 * graph.arcs.size()),
      half_of_(2 * graph.arcs.size()),
      flows_(graph.arcs.size(), 0),
      segment_(graph.node_count, 0) {
  for (std::size_t node = 0; node < graph.node_count; ++node) {
    hull_of_arc_[node] = &hulls.functions[function_of[node]];
  }
  for (const auto& [tail, head] : graph.arcs) {
    ++first_[tail + 1];
    ++first_[head + 1];
  }
  for (std::size_t v = 0; v < graph.vertices; ++v) first_[v + 1] += first_[v];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t arc = 0; arc < graph.arcs.size(); ++arc) {
    const auto [tail, head] = graph.arcs[arc];
    half_of_[2 * arc] = next[head]++;
    half_of_[2 * arc + 1] = next[tail]++;
    halves_[half_of_[2 * arc]] = {.in = {}, .out = {}, .other = tail, .arc_and_end = 2 * arc};
    halves_[half_of_[2 * arc + 1]] = {.in = {}, .out = {}, .other = head, .arc_and_end = 2 * arc + 1};
    refresh(arc);
  }
}

/// Brings both copies of an arc's state in line with its flow.
void ResidualGraph::refresh(std::uint32_t arc) {
  Residual forward;
  Residual back;
  const std::int64_t flow = flows_[arc];
  if (hull_of_arc_[arc] == nullptr) {
    const std::int64_t length = fixed_lengths_[arc - segment_.size()];
    forward = {.length = length, .capacity = kUnlimited};
    back = {.length = -length, .capacity = flow};
  } else {
    const Hull& hull = *hull_of_arc_[arc];
    std::uint32_t& segment = segment_[arc];
    while (segment + 1 < hull.slopes.size() && flow >= hull.slopes[segment + 1]) ++segment;
    while (flow < hull.slopes[segment]) --segment;
    const bool is_last = segment + 1 == hull.slopes.size();
    forward = {.length = hull.ticks[segment], .capacity = is_last ? kUnlimited : hull.slopes[segment + 1] - flow};
    // An arc just about to be filled has nothing to take back; the one before it has.
    const std::uint32_t filled = flow > hull.slopes[segment] || segment == 0 ? segment : segment - 1;
    back = {.length = -hull.ticks[filled], .capacity = flow - hull.slopes[filled]};
  }
  Half& at_head = halves_[half_of_[2 * arc]];
  Half& at_tail = halves_[half_of_[2 * arc + 1]];
  at_head.in = at_tail.out = forward;
  at_head.out = at_tail.in = back;
}

ResidualGraph::Bounds ResidualGraph::bounds(std::uint32_t arc, std::int64_t window) const {
  if (hull_of_arc_[arc] == nullptr) {
    const std::int64_t length = fixed_lengths_[arc - segment_.size()];
    KAREUS_CHECK(window >= length);
    return {.least = 0, .most = window > length ? 0 : kUnlimited};
  }
  const Hull& hull = *hull_of_arc_[arc];
  KAREUS_CHECK(window >= hull.fastest());
  if (window > hull.slowest()) return {.least = 0, .most = 0};
  std::size_t k = 0;  // the fastest point that is not faster than the window
  while (k + 1 < hull.ticks.size() && hull.ticks[k + 1] >= window) ++k;
  if (hull.ticks[k] > window) return {.least = hull.slopes[k + 1], .most = hull.slopes[k + 1]};
  return {.least = hull.slopes[k], .most = k + 1 < hull.slopes.size() ? hull.slopes[k + 1] : kUnlimited};
}

}  // namespace kareus::pipeline
