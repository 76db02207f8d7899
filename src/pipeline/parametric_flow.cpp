#include "pipeline/parametric_flow.hpp"

#include <algorithm>
#include <functional>

namespace kareus::pipeline {
namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

}  // namespace

ParametricFlow::ParametricFlow(const Dag& dag, const EventGraph& graph, std::span<const std::uint32_t> function_of,
                               std::span<const Hull> hulls)
    : source_(graph.source),
      sink_(graph.sink),
      hull_of_arc_(graph.arcs.size(), nullptr),
      flows_(graph.arcs.size(), 0),
      segment_(graph.node_count, 0),
      level_(graph.vertices, kUnreached),
      current_(graph.vertices, 0),
      distance_(graph.vertices, kFar) {
  std::vector<std::int64_t> durations(graph.node_count);
  for (std::size_t node = 0; node < graph.node_count; ++node) {
    hull_of_arc_[node] = &hulls[function_of[node]];
    durations[node] = hull_of_arc_[node]->slowest();
  }
  times_ = earliest_events(dag, graph, durations);
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
    halves_[half_of_[2 * arc]] = {.tail = tail, .arc_and_direction = 2 * arc};
    halves_[half_of_[2 * arc + 1]] = {.tail = head, .arc_and_direction = 2 * arc + 1};
    refresh(arc);
  }
}

void ParametricFlow::restore(const FlowSnapshot& snapshot) {
  times_ = snapshot.times;
  flows_ = snapshot.flows;
  for (std::uint32_t arc = 0; arc < flows_.size(); ++arc) refresh(arc);
  flow_value_ = 0;
  for (std::uint32_t h = first_[source_]; h < first_[source_ + 1]; ++h) {
    const std::uint32_t arc = halves_[h].arc_and_direction / 2;
    flow_value_ += halves_[h].arc_and_direction % 2 == 0 ? -flows_[arc] : flows_[arc];
  }
}

/// Brings an arc's two halves in line with its flow.
void ParametricFlow::refresh(std::uint32_t arc) {
  Half& forward = halves_[half_of_[2 * arc]];
  Half& back = halves_[half_of_[2 * arc + 1]];
  const std::int64_t flow = flows_[arc];
  if (hull_of_arc_[arc] == nullptr) {
    forward.capacity = kUnlimited;
    back.capacity = flow;
    return;
  }
  const Hull& hull = *hull_of_arc_[arc];
  std::uint32_t& segment = segment_[arc];
  while (segment + 1 < hull.slopes.size() && flow >= hull.slopes[segment + 1]) ++segment;
  while (flow < hull.slopes[segment]) --segment;
  forward.length = hull.ticks[segment];
  forward.capacity = segment + 1 < hull.slopes.size() ? hull.slopes[segment + 1] - flow : kUnlimited;
  // An arc just about to be filled has nothing to take back; the one before it has.
  const std::uint32_t filled = flow > hull.slopes[segment] || segment == 0 ? segment : segment - 1;
  back.length = -hull.ticks[filled];
  back.capacity = flow - hull.slopes[filled];
}

void ParametricFlow::push(std::uint32_t half, std::int64_t amount) {
  const std::uint32_t arc = halves_[half].arc_and_direction / 2;
  flows_[arc] += halves_[half].arc_and_direction % 2 == 0 ? amount : -amount;
  refresh(arc);
}

/// Breadth-first levels over tight residual arcs, back from the sink; whether the source is reached.
bool ParametricFlow::find_levels() {
  for (const std::uint32_t vertex : queue_) level_[vertex] = kUnreached;
  queue_.assign(1, sink_);
  level_[sink_] = 0;
  current_[sink_] = first_[sink_];
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint32_t vertex = queue_[i];
    for (std::uint32_t h = first_[vertex]; h < first_[vertex + 1]; ++h) {
      const Half& half = halves_[h];
      if (half.capacity == 0 || level_[half.tail] != kUnreached || reduced_length(vertex, half) != 0) continue;
      level_[half.tail] = level_[vertex] + 1;
      current_[half.tail] = first_[half.tail];
      queue_.push_back(half.tail);
      if (half.tail == source_) return true;
    }
  }
  return false;
}

/// Position of the first narrowest half of the path.
std::size_t ParametricFlow::bottleneck() const {
  std::size_t narrowest = 0;
  for (std::size_t i = 1; i < path_.size(); ++i) {
    if (halves_[path_[i]].capacity < halves_[path_[narrowest]].capacity) narrowest = i;
  }
  return narrowest;
}

/// Dinic's blocking flow on the levels. False when a path has no limit.
bool ParametricFlow::augment() {
  path_.clear();
  std::uint32_t vertex = sink_;
  for (;;) {
    if (vertex == source_) {
      const std::size_t cut = bottleneck();
      const std::int64_t width = halves_[path_[cut]].capacity;
      if (width == kUnlimited) return false;
      for (const std::uint32_t h : path_) push(h, width);
      flow_value_ += width;
      vertex = head_of(path_[cut]);  // everything before it can still take more
      path_.resize(cut);
      continue;
    }
    std::uint32_t& h = current_[vertex];
    const std::uint32_t end = first_[vertex + 1];
    for (; h < end; ++h) {
      const Half& half = halves_[h];
      if (half.capacity > 0 && level_[half.tail] == level_[vertex] + 1 && reduced_length(vertex, half) == 0) break;
    }
    if (h < end) {
      path_.push_back(h);
      vertex = halves_[h].tail;
    } else if (path_.empty()) {
      return true;
    } else {  // dead end: back to where the path came from, which must go on with its next half
      level_[vertex] = kUnreached;
      vertex = head_of(path_.back());
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
    if (half.capacity == 0) continue;
    const std::int64_t through = distance + reduced_length(vertex, half);
    std::int64_t& known = distance_[half.tail];
    if (through >= known || through >= distance_[source_]) continue;
    if (known == kFar) reached_.push_back(half.tail);
    known = through;
    if (half.tail == source_) continue;
    if (through == distance) {
      tied_.push_back(half.tail);
    } else {
      heap_.emplace_back(through, half.tail);
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
