#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <optional>

#include "kareus/pipeline.hpp"
#include "pipeline/operation.hpp"
#include "pipeline/order_check.hpp"

namespace kareus::pipeline {
namespace {

/// What other operations wait for. A backward and an input gradient are the same to them; nobody waits for a weight
/// gradient.
enum class Signal { forward, gradient, recompute };
constexpr std::size_t kSignals = 3;

/// Deadlocks that are spelled out; the rest is only counted.
constexpr std::size_t kMaximumDeadlocks = 20;

std::optional<Signal> signal_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::forward:
      return Signal::forward;
    case OperationKind::backward:
    case OperationKind::input_gradient:
      return Signal::gradient;
    case OperationKind::recompute:
      return Signal::recompute;
    case OperationKind::weight_gradient:
      return std::nullopt;
  }
  return std::nullopt;
}

/// What must have ended, where.
struct Awaited {
  std::size_t stage = 0;
  Signal signal = Signal::forward;
  int microbatch = 0;
  int chunk = 0;
};

/// What an operation of `stage` waits for besides the one before it on its stage and a recomputation: for the model's
/// layers before it (forward) or after it (gradient), which are on the neighbouring stage, or, around the end of the
/// pipeline, of the neighbouring chunk.
std::optional<Awaited> awaited(std::size_t stages, int chunks, std::size_t stage, const Operation& operation) {
  const auto [kind, microbatch, chunk] = operation;
  switch (kind) {
    case OperationKind::forward:
      if (stage > 0) return Awaited{stage - 1, Signal::forward, microbatch, chunk};
      if (chunk > 0) return Awaited{stages - 1, Signal::forward, microbatch, chunk - 1};
      return std::nullopt;
    case OperationKind::backward:
    case OperationKind::input_gradient:
      if (stage + 1 < stages) return Awaited{stage + 1, Signal::gradient, microbatch, chunk};
      if (chunk + 1 < chunks) return Awaited{0, Signal::gradient, microbatch, chunk + 1};
      return Awaited{stage, Signal::forward, microbatch, chunk};
    case OperationKind::weight_gradient:
      return Awaited{stage, Signal::gradient, microbatch, chunk};
    case OperationKind::recompute:
      return Awaited{stage, Signal::forward, microbatch, chunk};
  }
  return std::nullopt;
}

/// Which node gives each signal: a table, since a complete order has them all.
class SignalTable {
 public:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();  ///< not in the order
  static constexpr std::uint32_t kPending = kAbsent - 1;                               ///< has not run

  SignalTable(const Order& order, OrderShape shape)
      : microbatches_(static_cast<std::size_t>(shape.microbatches)),
        chunks_(static_cast<std::size_t>(shape.chunks)),
        nodes_(order.size() * kSignals * chunks_ * microbatches_, kAbsent) {
    for (std::size_t stage = 0; stage < order.size(); ++stage) {
      for (const Operation& operation : order[stage]) set(stage, operation, kPending);
    }
  }

  std::uint32_t node(const Awaited& what) const {
    return nodes_[index(what.stage, what.signal, what.microbatch, what.chunk)];
  }
  void set(std::size_t stage, const Operation& operation, std::uint32_t node) {
    if (const auto signal = signal_of(operation.kind)) {
      nodes_[index(stage, *signal, operation.microbatch, operation.chunk)] = node;
    }
  }

 private:
  std::size_t index(std::size_t stage, Signal signal, int microbatch, int chunk) const {
    const std::size_t table = stage * kSignals + static_cast<std::size_t>(signal);
    return (table * chunks_ + static_cast<std::size_t>(chunk)) * microbatches_ + static_cast<std::size_t>(microbatch);
  }

  std::size_t microbatches_;
  std::size_t chunks_;
  std::vector<std::uint32_t> nodes_;
};

/// Runs the order as the pipeline would, giving nodes their numbers in an order in which they can run.
class Execution {
 public:
  Execution(const Order& order, OrderShape shape, const FixedTimes& fixed)
      : order_(order), shape_(shape), fixed_(fixed), signals_(order, shape), next_(order.size(), 0) {
    std::size_t operations = 0;
    for (const auto& stage : order) operations += stage.size();
    dag_.stages = static_cast<int>(order.size());
    dag_.nodes.reserve(operations);
    dag_.predecessors.reserve(operations);
    dag_.tail.assign(operations, Seconds(0));
    dag_.node_at.resize(order.size());
    for (std::size_t stage = 0; stage < order.size(); ++stage) dag_.node_at[stage].reserve(order[stage].size());
  }

  Result<Dag> run() {
    const std::size_t stages = order_.size();
    std::deque<std::size_t> ready;
    std::vector<bool> is_ready(stages, true);
    for (std::size_t stage = 0; stage < stages; ++stage) ready.push_back(stage);
    while (!ready.empty()) {
      const std::size_t stage = ready.front();
      ready.pop_front();
      is_ready[stage] = false;
      const std::size_t before = next_[stage];
      while (next_[stage] < order_[stage].size() && !blocker(stage)) execute(stage);
      if (next_[stage] == before) continue;
      for (const std::size_t neighbour : {(stage + 1) % stages, (stage + stages - 1) % stages}) {
        if (is_ready[neighbour]) continue;
        is_ready[neighbour] = true;
        ready.push_back(neighbour);
      }
    }
    if (auto problems = deadlocks(); !problems.empty()) {
      return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
    }
    add_tails();
    return std::move(dag_);
  }

 private:
  const Operation& next_operation(std::size_t stage) const { return order_[stage][next_[stage]]; }

  Awaited own_recompute(std::size_t stage) const {
    const Operation& operation = next_operation(stage);
    return {stage, Signal::recompute, operation.microbatch, operation.chunk};
  }

  /// What the next operation of the stage has to wait for, if it cannot run yet.
  std::optional<Awaited> blocker(std::size_t stage) const {
    const Operation& operation = next_operation(stage);
    if (signal_of(operation.kind) == Signal::gradient) {
      const Awaited recompute = own_recompute(stage);
      if (signals_.node(recompute) == SignalTable::kPending) return recompute;
    }
    const auto needed = awaited(order_.size(), shape_.chunks, stage, operation);
    if (needed && signals_.node(*needed) == SignalTable::kPending) return needed;
    return std::nullopt;
  }

  void execute(std::size_t stage) {
    const Operation& operation = next_operation(stage);
    const std::size_t position = next_[stage]++;
    std::array<Dag::Predecessor, 2> predecessors;
    std::size_t count = 0;
    if (position > 0) predecessors[count++] = {dag_.node_at[stage][position - 1], Seconds(0)};
    // What is on the own stage the chain implies.
    const auto needed = awaited(order_.size(), shape_.chunks, stage, operation);
    if (needed && needed->stage != stage) predecessors[count++] = {signals_.node(*needed), fixed_.transfer};
    const auto node = static_cast<std::uint32_t>(dag_.nodes.size());
    dag_.nodes.push_back({.pipeline = 0,
                          .stage = static_cast<int>(stage),
                          .position = static_cast<int>(position),
                          .operation = operation});
    dag_.predecessors.emplace_back(predecessors.begin(), predecessors.begin() + static_cast<std::ptrdiff_t>(count));
    dag_.node_at[stage].push_back(node);
    signals_.set(stage, operation, node);
  }

  /// The last operation of a complete stage is a backward or a weight gradient: then its gradients can be reduced.
  void add_tails() {
    for (const auto& stage : dag_.node_at) dag_.tail[stage.back()] = fixed_.gradient_reduction + fixed_.optimizer_step;
  }

  /// Stages that wait for each other in a ring. Every stuck stage waits for a stuck one, so walking on from any of them
  /// ends in a ring.
  std::vector<std::size_t> rings() const {
    std::vector<std::size_t> found;
    std::vector<std::size_t> walked_from(order_.size(), order_.size());
    for (std::size_t begin = 0; begin < order_.size(); ++begin) {
      std::size_t stage = begin;
      while (is_stuck(stage) && walked_from[stage] == order_.size()) {
        walked_from[stage] = begin;
        stage = blocker(stage)->stage;
      }
      if (!is_stuck(stage) || walked_from[stage] != begin) continue;
      const std::size_t ring_begin = stage;
      do {
        found.push_back(stage);
        stage = blocker(stage)->stage;
      } while (stage != ring_begin);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  bool is_stuck(std::size_t stage) const { return next_[stage] < order_[stage].size(); }

  /// One problem for every stage in a ring; those that only wait behind one are counted.
  std::vector<Problem> deadlocks() const {
    std::size_t others = 0;
    for (std::size_t stage = 0; stage < order_.size(); ++stage) others += is_stuck(stage) ? 1 : 0;
    std::vector<Problem> problems;
    for (const std::size_t stage : rings()) {
      if (problems.size() == kMaximumDeadlocks) break;
      problems.push_back(deadlock(stage));
      --others;
    }
    if (others > 0) problems.back().hint += fmt::format("; {} more stages cannot go on either", others);
    return problems;
  }

  Problem deadlock(std::size_t stage) const {
    const Awaited needed = *blocker(stage);
    const auto& there = order_[needed.stage];
    const auto found = std::find_if(there.begin(), there.end(), [&](const Operation& operation) {
      return signal_of(operation.kind) == needed.signal && operation.microbatch == needed.microbatch &&
             operation.chunk == needed.chunk;
    });
    const auto position = found - there.begin();
    const std::string which = needed.stage == stage
                                  ? fmt::format(", which comes after it (instruction {})", position)
                                  : fmt::format(" on stage {} (instruction {})", needed.stage, position);
    return {fmt::format("stage {}, instruction {}", stage, next_[stage]),
            fmt::format("the {} can never run: it waits for the {}{}", describe(next_operation(stage)),
                        describe(*found), which),
            "the orders of the stages deadlock"};
  }

  const Order& order_;
  OrderShape shape_;
  FixedTimes fixed_;
  SignalTable signals_;
  std::vector<std::size_t> next_;  ///< per stage: position of the first operation that has not run
  Dag dag_;
};

void check_fixed_time(const char* name, Seconds time, std::vector<Problem>& problems) {
  if (std::isfinite(time.si()) && time >= Seconds(0)) return;
  problems.push_back({name, fmt::format("must be a finite time of at least 0, not {} s", time.si()), {}});
}

}  // namespace

Result<Dag> build_dag(const Order& order, const FixedTimes& fixed) {
  std::vector<Problem> problems;
  check_fixed_time("transfer", fixed.transfer, problems);
  check_fixed_time("gradient reduction", fixed.gradient_reduction, problems);
  check_fixed_time("optimizer step", fixed.optimizer_step, problems);
  auto shape = check_order(order);
  if (!shape) std::move(shape.error().problems.begin(), shape.error().problems.end(), std::back_inserter(problems));
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return Execution(order, *shape, fixed).run();
}

}  // namespace kareus::pipeline
