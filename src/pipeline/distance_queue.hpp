#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kareus::pipeline {

/// Vertices in the order in which Dijkstra's method settles them. Those at the current distance, most of all cases, do
/// not go through the heap; what a vertex had before its distance fell is passed over.
class DistanceQueue {
 public:
  /// Empty, at distance 0.
  void clear() {
    distance_ = 0;
    tied_.clear();
    heap_.clear();
  }
  /// A vertex whose distance has just fallen; not below the current one.
  void push(std::int64_t distance, std::uint32_t vertex) {
    if (distance == distance_) {
      tied_.push_back(vertex);
    } else {
      heap_.emplace_back(distance, vertex);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }
  }
  std::int64_t distance() const { return distance_; }
  /// Takes a vertex at the current distance, the last one pushed; nothing when there is none.
  std::optional<std::uint32_t> take() {
    if (tied_.empty()) return std::nullopt;
    const std::uint32_t vertex = tied_.back();
    tied_.pop_back();
    return vertex;
  }
  /// The next distance at which there is a vertex, none being left at the current one. `known`: distances per vertex.
  std::optional<std::int64_t> upcoming(std::span<const std::int64_t> known) {
    while (!heap_.empty() && heap_.front().first != known[heap_.front().second]) pop();
    return heap_.empty() ? std::nullopt : std::optional(heap_.front().first);
  }
  /// Goes on to the upcoming distance.
  void advance() {
    distance_ = heap_.front().first;
    tied_.push_back(heap_.front().second);
    pop();
  }

 private:
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    heap_.pop_back();
  }

  std::int64_t distance_ = 0;
  std::vector<std::uint32_t> tied_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> heap_;
};

}  // namespace kareus::pipeline
