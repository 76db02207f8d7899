#pragma once

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

/// What runs where, as the rules of a pipeline say it, written for checking: every dependency spelled out over all
/// layers' chunks (virtual stage = chunk * stages + stage), nothing left to be implied by the order.
struct ReferenceRules {
  using Key = std::tuple<int, Operation>;  ///< stage and operation

  int stages = 1;
  int chunks = 1;
  std::map<Key, bool> present;

  explicit ReferenceRules(const Order& order) : stages(static_cast<int>(order.size())) {
    for (int stage = 0; stage < stages; ++stage) {
      for (const Operation& operation : order[static_cast<std::size_t>(stage)]) {
        present[{stage, operation}] = true;
        chunks = std::max(chunks, operation.chunk + 1);
      }
    }
  }

  /// The operation that gives the gradient of a virtual stage.
  Key gradient(int virtual_stage, int microbatch) const {
    const int stage = virtual_stage % stages;
    const Operation whole{OperationKind::backward, microbatch, virtual_stage / stages};
    if (present.contains({stage, whole})) return {stage, whole};
    return {stage, {OperationKind::input_gradient, microbatch, virtual_stage / stages}};
  }

  std::vector<Key> dependencies(int stage, const Operation& operation) const {
    using enum OperationKind;
    const int microbatch = operation.microbatch;
    const int at = operation.chunk * stages + stage;
    const Key own_forward{stage, {forward, microbatch, operation.chunk}};
    const Key recomputed{stage, {recompute, microbatch, operation.chunk}};
    std::vector<Key> result;
    if (operation.kind == forward) {
      if (at > 0) result.push_back({(at - 1) % stages, {forward, microbatch, (at - 1) / stages}});
      return result;
    }
    result.push_back(own_forward);
    if (operation.kind == recompute) return result;
    if (present.contains(recomputed)) result.push_back(recomputed);
    if (operation.kind == weight_gradient) {
      result.push_back({stage, {input_gradient, microbatch, operation.chunk}});
    } else if (at + 1 < stages * chunks) {
      result.push_back(gradient(at + 1, microbatch));
    }
    return result;
  }
};

/// Earliest starts by running every stage's list in turn until nothing moves; nothing when a stage cannot go on.
inline std::optional<std::map<ReferenceRules::Key, double>> reference_starts(
    const Order& order, const std::map<ReferenceRules::Key, double>& durations, double transfer) {
  const ReferenceRules rules(order);
  std::map<ReferenceRules::Key, double> starts;
  std::vector<std::size_t> next(order.size(), 0);
  std::vector<double> free(order.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < order.size(); ++s) {
      if (next[s] == order[s].size()) continue;
      const int stage = static_cast<int>(s);
      const Operation operation = order[s][next[s]];
      double start = free[s];
      bool ready = true;
      for (const auto& needed : rules.dependencies(stage, operation)) {
        const auto begun = starts.find(needed);
        ready = ready && begun != starts.end();
        if (!ready) break;
        const double lag = std::get<0>(needed) == stage ? 0 : transfer;
        start = std::max(start, begun->second + durations.at(needed) + lag);
      }
      if (!ready) continue;
      starts[{stage, operation}] = start;
      free[s] = start + durations.at({stage, operation});
      ++next[s];
      moved = true;
    }
  }
  for (std::size_t s = 0; s < order.size(); ++s) {
    if (next[s] < order[s].size()) return std::nullopt;
  }
  return starts;
}

/// The operations of a random pipeline, stage by stage, in no order that is meant to run: backwards whole or split,
/// with a recomputation or not.
inline Order random_operations() {
  using enum OperationKind;
  const int stages = *rc::gen::inRange(1, 5);
  const int microbatches = *rc::gen::inRange(1, 6);
  const int chunks = *rc::gen::inRange(1, 4);
  Order order(static_cast<std::size_t>(stages));
  for (auto& stage : order) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
        stage.push_back({forward, microbatch, chunk});
        if (*rc::gen::inRange(0, 3) == 0) stage.push_back({recompute, microbatch, chunk});
        if (*rc::gen::arbitrary<bool>()) {
          stage.push_back({backward, microbatch, chunk});
        } else {
          stage.push_back({input_gradient, microbatch, chunk});
          stage.push_back({weight_gradient, microbatch, chunk});
        }
      }
    }
  }
  return order;
}

/// An order that can run: at each step a random stage takes a random one of its operations whose dependencies have run.
inline Order random_order() {
  const Order operations = random_operations();
  const ReferenceRules rules(operations);
  std::vector<ReferenceRules::Key> waiting;
  for (const auto& [key, present] : rules.present) waiting.push_back(key);
  std::map<ReferenceRules::Key, bool> done;
  Order order(operations.size());
  while (!waiting.empty()) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const auto needed = rules.dependencies(std::get<0>(waiting[i]), std::get<1>(waiting[i]));
      if (std::all_of(needed.begin(), needed.end(), [&](const auto& key) { return done.contains(key); })) {
        ready.push_back(i);
      }
    }
    RC_ASSERT(!ready.empty());
    const std::size_t chosen = ready[*rc::gen::inRange<std::size_t>(0, ready.size())];
    const auto [stage, operation] = waiting[chosen];
    order[static_cast<std::size_t>(stage)].push_back(operation);
    done[waiting[chosen]] = true;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return order;
}

}  // namespace kareus::pipeline
