#include "pipeline/parametric_flow.hpp"

#include <algorithm>
#include <functional>

namespace kareus::pipeline {
namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

}  // namespace

ParametricFlow::ParametricFlow(const Dag& dag, const EventGraph& graph, std::span<const std::uint32_t> function_of,
                               const HullSet& hulls)
    : source_(graph.source),
      sink_(graph.sink),
      hull_of_arc_(graph.arcs.size(), nullptr),
      fixed_lengths_(graph.lengths),
      flows_(graph.arcs.size(), 0),
      segment_(graph.node_count, 0),
      level_(graph.vertices, kUnreached),
      current_(graph.vertices, 0),
      distance_(graph.vertices, kFar) {
  std::vector<std::int64_t> durations(graph.node_count);
  for (std::size_t node = 0; node < graph.node_count; ++node) {
    hull_of_arc_[node] = &hulls.functions[function_of[node]];
    durations[node] = hull_of_arc_[node]->slowest();
  }
  times_ = earliest_events(dag, graph, hulls.grid, durations);
  // Nothing else ends at the sink later than the last node, so its earliest time is the iteration time.
  link(graph);
}

void ParametricFlow::link(const EventGraph& graph) {
  first_.assign(graph.vertices + 1, 0);
  for (const auto& [tail, head] : graph.arcs) {
    ++first_[tail + 1];
    ++first_[head + 1];
  }
  for (std::size_t v = 0; v < graph.vertices; ++v) first_[v + 1] += first_[v];
  halves_.resize(2 * graph.arcs.size());
  half_of_.resize(2 * graph.arcs.size());
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

void ParametricFlow::restore(const FlowSnapshot& snapshot) {
  times_ = snapshot.times;
  flows_ = snapshot.flows;
  for (std::uint32_t arc = 0; arc < flows_.size(); ++arc) refresh(arc);
  flow_value_ = 0;
  for (std::uint32_t h = first_[source_]; h < first_[source_ + 1]; ++h) {
    const std::int64_t flow = flows_[halves_[h].arc_and_end / 2];
    flow_value_ += halves_[h].arc_and_end % 2 == 0 ? -flow : flow;
  }
}

/// Brings both copies of an arc's state in line with its flow.
void ParametricFlow::refresh(std::uint32_t arc) {
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

/// Sends flow through a half to the vertex that lists it.
void ParametricFlow::push(std::uint32_t half, std::int64_t amount) {
  const std::uint32_t arc = halves_[half].arc_and_end / 2;
  flows_[arc] += halves_[half].arc_and_end % 2 == 0 ? amount : -amount;
  refresh(arc);
}

/// Breadth-first levels from the source over tight residual arcs; whether the sink is reached.
bool ParametricFlow::find_levels() {
  for (const std::uint32_t vertex : queue_) level_[vertex] = kUnreached;
  queue_.assign(1, source_);
  level_[source_] = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint32_t vertex = queue_[i];
    const std::uint32_t next_level = level_[vertex] + 1;
    for (std::uint32_t h = first_[vertex]; h < first_[vertex + 1]; ++h) {
      const Half& half = halves_[h];
      if (half.out.capacity == 0 || level_[half.other] != kUnreached || !is_open_out(vertex, half)) continue;
      level_[half.other] = next_level;
      current_[half.other] = first_[half.other];
      queue_.push_back(half.other);
      if (half.other == sink_) return true;
    }
  }
  return false;
}

/// Position of the first narrowest half of the path.
std::size_t ParametricFlow::bottleneck() const {
  std::size_t narrowest = 0;
  for (std::size_t i = 1; i < path_.size(); ++i) {
    if (halves_[path_[i]].in.capacity < halves_[path_[narrowest]].in.capacity) narrowest = i;
  }
  return narrowest;
}

/// Dinic's blocking flow on the levels, from the sink back: down the levels every vertex leads to the source until its
/// arcs are full, so that hardly any search is in vain. False when a path has no limit.
bool ParametricFlow::augment() {
  path_.clear();
  std::uint32_t vertex = sink_;
  for (;;) {
    if (vertex == source_) {
      const std::size_t cut = bottleneck();
      const std::int64_t width = halves_[path_[cut]].in.capacity;
      if (width == kUnlimited) return false;
      vertex = owner_of(path_[cut]);  // everything before it can still take more
      for (const std::uint32_t h : path_) push(h, width);
      flow_value_ += width;
      path_.resize(cut);
      continue;
    }
    std::uint32_t& h = current_[vertex];
    const std::uint32_t end = first_[vertex + 1];
    for (; h < end; ++h) {
      const Half& half = halves_[h];
      if (level_[half.other] + 1 == level_[vertex] && is_open_in(vertex, half)) break;
    }
    if (h < end) {
      path_.push_back(h);
      vertex = halves_[h].other;
    } else if (path_.empty()) {
      return true;
    } else {  // dead end: back to where the path came from, which must go on with its next half
      level_[vertex] = kUnreached;
      vertex = owner_of(path_.back());
      path_.pop_back();
      ++current_[vertex];
    }
  }
}

bool ParametricFlow::saturate() {
  while (find_levels()) {
    if (!augment()) return false;
  }
  return true;
}

/// Relaxes what enters a vertex whose distance is final. Ties, most of all cases, do not go through the heap.
void ParametricFlow::settle(std::uint32_t vertex, std::int64_t distance) {
  settled_.push_back(vertex);
  for (std::uint32_t h = first_[vertex]; h < first_[vertex + 1]; ++h) {
    const Half& half = halves_[h];
    if (half.in.capacity == 0) continue;
    const std::int64_t through = distance + times_[vertex] - times_[half.other] - half.in.length;
    std::int64_t& known = distance_[half.other];
    if (through >= known || through >= distance_[source_]) continue;
    if (known == kFar) reached_.push_back(half.other);
    known = through;
    if (half.other == source_) continue;
    if (through == distance) {
      tied_.push_back(half.other);
    } else {
      heap_.emplace_back(through, half.other);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }
  }
}

std::int64_t ParametricFlow::speed_up() {
  settled_.clear();
  heap_.clear();
  reached_.assign(1, sink_);
  distance_[sink_] = 0;
  tied_.assign(1, sink_);
  std::int64_t distance = 0;
  for (;;) {
    while (!tied_.empty()) {
      const std::uint32_t vertex = tied_.back();
      tied_.pop_back();
      settle(vertex, distance);
    }
    while (!heap_.empty() && heap_.front().first != distance_[heap_.front().second]) {  // improved since
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
      heap_.pop_back();
    }
    if (heap_.empty() || heap_.front().first >= distance_[source_]) break;
    distance = heap_.front().first;
    tied_.push_back(heap_.front().second);
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    heap_.pop_back();
  }

  // The sink moves earlier until a path from the source is tight, and takes along whatever is too near to it to stay.
  const std::int64_t step = distance_[source_];
  KAREUS_CHECK(step > 0 && step < kFar);
  for (const std::uint32_t vertex : settled_) times_[vertex] -= step - distance_[vertex];
  for (const std::uint32_t vertex : reached_) distance_[vertex] = kFar;
  return step;
}

}  // namespace kareus::pipeline
