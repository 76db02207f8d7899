#include "pipeline/parametric_flow.hpp"

#include <algorithm>

namespace kareus::pipeline {
namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

}  // namespace

ParametricFlow::ParametricFlow(const EventGraph& graph, std::span<const std::uint32_t> function_of,
                               const HullSet& hulls)
    : source_(graph.source),
      sink_(graph.sink),
      residual_(graph, function_of, hulls),
      level_(graph.vertices, kUnreached),
      current_(graph.vertices, 0),
      distance_(graph.vertices, kFar) {
  std::vector<std::int64_t> durations(graph.node_count);
  for (std::size_t node = 0; node < graph.node_count; ++node)
    durations[node] = hulls.functions[function_of[node]].slowest();
  times_ = earliest_events(graph, durations);
}

void ParametricFlow::restore(const FlowSnapshot& snapshot) {
  times_ = snapshot.times;
  for (std::uint32_t arc = 0; arc < snapshot.flows.size(); ++arc) residual_.set_flow(arc, snapshot.flows[arc]);
  flow_value_ = 0;
  for (std::uint32_t h = residual_.first(source_); h < residual_.end(source_); ++h) {
    const std::uint32_t end = residual_.half(h).arc_and_end;
    flow_value_ += end % 2 == 0 ? -residual_.flow(end / 2) : residual_.flow(end / 2);
  }
}

/// Breadth-first levels from the source over tight residual arcs; whether the sink is reached.
bool ParametricFlow::find_levels() {
  for (const std::uint32_t vertex : queue_) level_[vertex] = kUnreached;
  queue_.assign(1, source_);
  level_[source_] = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint32_t vertex = queue_[i];
    const std::uint32_t next_level = level_[vertex] + 1;
    for (std::uint32_t h = residual_.first(vertex); h < residual_.end(vertex); ++h) {
      const Half& half = residual_.half(h);
      if (half.out.capacity == 0 || level_[half.other] != kUnreached ||
          !ResidualGraph::is_open_out(times_, vertex, half))
        continue;
      level_[half.other] = next_level;
      current_[half.other] = residual_.first(half.other);
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
    if (residual_.half(path_[i]).in.capacity < residual_.half(path_[narrowest]).in.capacity) narrowest = i;
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
      const std::int64_t width = residual_.half(path_[cut]).in.capacity;
      if (width == ResidualGraph::kUnlimited) return false;
      vertex = residual_.owner_of(path_[cut]);  // everything before it can still take more
      for (const std::uint32_t h : path_) residual_.push(h, width);
      flow_value_ += width;
      path_.resize(cut);
      continue;
    }
    std::uint32_t& h = current_[vertex];
    const std::uint32_t end = residual_.end(vertex);
    for (; h < end; ++h) {
      const Half& half = residual_.half(h);
      if (level_[half.other] + 1 == level_[vertex] && ResidualGraph::is_open_in(times_, vertex, half)) break;
    }
    if (h < end) {
      path_.push_back(h);
      vertex = residual_.half(h).other;
    } else if (path_.empty()) {
      return true;
    } else {  // dead end: back to where the path came from, which must go on with its next half
      level_[vertex] = kUnreached;
      vertex = residual_.owner_of(path_.back());
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

/// Relaxes what enters a vertex whose distance is final.
void ParametricFlow::settle(std::uint32_t vertex) {
  settled_.push_back(vertex);
  for (std::uint32_t h = residual_.first(vertex); h < residual_.end(vertex); ++h) {
    const Half& half = residual_.half(h);
    if (half.in.capacity == 0) continue;
    const std::int64_t through = distances_.distance() + times_[vertex] - times_[half.other] - half.in.length;
    std::int64_t& known = distance_[half.other];
    if (through >= known || through >= distance_[source_]) continue;
    if (known == kFar) reached_.push_back(half.other);
    known = through;
    if (half.other != source_) distances_.push(through, half.other);
  }
}

std::int64_t ParametricFlow::speed_up() {
  settled_.clear();
  distances_.clear();
  reached_.assign(1, sink_);
  distance_[sink_] = 0;
  distances_.push(0, sink_);
  for (;;) {
    while (const auto vertex = distances_.take()) settle(*vertex);
    const auto upcoming = distances_.upcoming(distance_);
    if (!upcoming || *upcoming >= distance_[source_]) break;
    distances_.advance();
  }

  // The sink moves earlier until a path from the source is tight, and takes along whatever is too near to it to stay.
  const std::int64_t step = distance_[source_];
  KAREUS_CHECK(step > 0 && step < kFar);
  for (const std::uint32_t vertex : settled_) times_[vertex] -= step - distance_[vertex];
  for (const std::uint32_t vertex : reached_) distance_[vertex] = kFar;
  return step;
}

}  // namespace kareus::pipeline
