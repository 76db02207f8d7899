#include "pipeline/slope_flow.hpp"

#include <algorithm>

namespace kareus::pipeline {

SlopeFlow::SlopeFlow(const EventGraph& graph, std::span<const std::uint32_t> function_of, const HullSet& hulls)
    : source_(graph.source),
      sink_(graph.sink),
      arcs_(graph.arcs),
      residual_(graph, function_of, hulls),
      level_(graph.vertices, kUnreached),
      current_(graph.vertices, 0),
      distance_(graph.vertices, kFar) {}

FlowSnapshot SlopeFlow::solve(const FlowSnapshot& guess, std::int64_t slope) {
  start(guess, slope);
  for (;;) {
    while (find_levels()) {
      for (const std::uint32_t vertex : queue_) {
        if (excess_[vertex] < 0) serve(vertex);
      }
    }
    if (!has_excess()) return {times_, residual_.flows()};
    move_events();
  }
}

/// The guess's times, the flow nearest to its own that they allow, and what is then amiss at every vertex.
void SlopeFlow::start(const FlowSnapshot& guess, std::int64_t slope) {
  times_ = guess.times;
  excess_.assign(times_.size(), 0);
  for (std::uint32_t arc = 0; arc < arcs_.size(); ++arc) {
    const auto [tail, head] = arcs_[arc];
    const auto [least, most] = residual_.bounds(arc, times_[head] - times_[tail]);
    const std::int64_t flow = std::clamp(guess.flows[arc], least, most);
    residual_.set_flow(arc, flow);
    excess_[head] += flow;
    excess_[tail] -= flow;
  }
  excess_[source_] += slope;
  excess_[sink_] -= slope;
  sources_.clear();
  for (std::uint32_t vertex = 0; vertex < excess_.size(); ++vertex) {
    if (excess_[vertex] > 0) sources_.push_back(vertex);
  }
}

bool SlopeFlow::has_excess() {
  std::erase_if(sources_, [&](std::uint32_t vertex) { return excess_[vertex] == 0; });
  return !sources_.empty();
}

/// Breadth-first levels from every excess over tight residual arcs; whether a deficit is reached.
bool SlopeFlow::find_levels() {
  for (const std::uint32_t vertex : queue_) level_[vertex] = kUnreached;
  queue_.clear();
  for (const std::uint32_t vertex : sources_) {
    if (excess_[vertex] == 0) continue;
    level_[vertex] = 0;
    queue_.push_back(vertex);
  }
  bool found = false;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint32_t vertex = queue_[i];
    found = found || excess_[vertex] < 0;
    for (std::uint32_t h = residual_.first(vertex); h < residual_.end(vertex); ++h) {
      const Half& half = residual_.half(h);
      if (half.out.capacity == 0 || level_[half.other] != kUnreached ||
          !ResidualGraph::is_open_out(times_, vertex, half))
        continue;
      level_[half.other] = level_[vertex] + 1;
      current_[half.other] = residual_.first(half.other);
      queue_.push_back(half.other);
    }
  }
  return found;
}

/// Leaves a vertex from which no excess is to be had: back to where the path came from, which goes on with its next
/// half.
void SlopeFlow::step_back() {
  level_[path_end_] = kUnreached;
  path_end_ = residual_.owner_of(path_.back());
  path_.pop_back();
  ++current_[path_end_];
}

/// Sends what the path from an excess (its end) to the deficit takes, and goes back to before the first half that is
/// then full.
void SlopeFlow::send(std::uint32_t deficit) {
  std::int64_t amount = std::min(excess_[path_end_], -excess_[deficit]);
  for (const std::uint32_t h : path_) amount = std::min(amount, residual_.half(h).in.capacity);
  excess_[path_end_] -= amount;
  excess_[deficit] += amount;
  std::size_t cut = path_.size();
  for (std::size_t i = path_.size(); i-- > 0;) {
    if (residual_.half(path_[i]).in.capacity == amount) cut = i;
  }
  const std::uint32_t before = cut < path_.size() ? residual_.owner_of(path_[cut]) : path_end_;
  for (const std::uint32_t h : path_) residual_.push(h, amount);
  path_.resize(cut);
  path_end_ = before;
}

/// Fills a deficit by a blocking flow down the levels (Dinic), searched from the deficit back.
void SlopeFlow::serve(std::uint32_t deficit) {
  path_.clear();
  path_end_ = deficit;
  while (level_[deficit] != kUnreached && excess_[deficit] < 0) {
    if (level_[path_end_] == 0 && excess_[path_end_] > 0) {
      send(deficit);
      continue;
    }
    std::uint32_t& h = current_[path_end_];
    const std::uint32_t end = level_[path_end_] == 0 ? h : residual_.end(path_end_);
    for (; h < end; ++h) {
      const Half& half = residual_.half(h);
      if (level_[half.other] + 1 == level_[path_end_] && ResidualGraph::is_open_in(times_, path_end_, half)) break;
    }
    if (h < end) {
      path_.push_back(h);
      path_end_ = residual_.half(h).other;
    } else if (path_.empty()) {
      level_[deficit] = kUnreached;
    } else {
      step_back();
    }
  }
}

/// Relaxes what leaves a vertex whose distance is final.
void SlopeFlow::settle(std::uint32_t vertex) {
  settled_.push_back(vertex);
  for (std::uint32_t h = residual_.first(vertex); h < residual_.end(vertex); ++h) {
    const Half& half = residual_.half(h);
    if (half.out.capacity == 0) continue;
    const std::int64_t through = distances_.distance() + times_[half.other] - times_[vertex] - half.out.length;
    std::int64_t& known = distance_[half.other];
    if (through >= known) continue;
    if (known == kFar) reached_.push_back(half.other);
    known = through;
    distances_.push(through, half.other);
  }
}

/// Dijkstra from all excesses to all deficits; the events then move by their distances, so that the shortest paths are
/// tight.
void SlopeFlow::move_events() {
  settled_.clear();
  distances_.clear();
  reached_ = sources_;
  for (const std::uint32_t vertex : sources_) {
    distance_[vertex] = 0;
    distances_.push(0, vertex);
  }
  std::int64_t deficits = std::count_if(excess_.begin(), excess_.end(), [](std::int64_t excess) { return excess < 0; });
  std::int64_t farthest = 0;
  for (;;) {
    while (const auto vertex = distances_.take()) {
      settle(*vertex);
      if (excess_[*vertex] < 0) {
        --deficits;
        farthest = distances_.distance();
      }
    }
    // All are reached, or the others cannot be yet.
    if (deficits == 0 || !distances_.upcoming(distance_)) break;
    distances_.advance();
  }
  KAREUS_CHECK(farthest > 0);
  for (const std::uint32_t vertex : settled_) times_[vertex] += farthest - std::min(distance_[vertex], farthest);
  for (const std::uint32_t vertex : reached_) distance_[vertex] = kFar;
}

}  // namespace kareus::pipeline
