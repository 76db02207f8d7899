#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kareus/quantity.hpp"
#include "kareus/result.hpp"
#include "kareus/schedule.hpp"

namespace kareus::pipeline {

/// Execution order of every stage.
using Order = std::vector<std::vector<schedule::Instruction>>;

/// One forward, one backward: warm-up forwards, then pairs, then the remaining backwards.
Order one_forward_one_backward(int stages, int microbatches);

/// Instructions and what must end before what begins: the order within a stage, forwards down the stages and
/// backwards up (Perseus, section 4). Nodes are in topological order.
struct Dag {
  struct Node {
    int stage = 0;
    int position = 0;  ///< index in the stage's order
    schedule::Instruction instruction;
  };
  std::vector<Node> nodes;
  std::vector<std::vector<std::uint32_t>> predecessors;  ///< per node
  std::vector<std::vector<std::uint32_t>> node_at;       ///< per stage and position
  int stages = 0;
};

/// Errors: bad_input for an order that misses an instruction, repeats one or deadlocks (names the first instruction
/// that cannot run).
Result<Dag> build_dag(const Order& order);

/// Earliest start of every node, and when the last one ends.
struct Timing {
  std::vector<Seconds> start;
  Seconds makespan;
};
Timing earliest_times(const Dag& dag, std::span<const Seconds> durations);

/// A way to execute a node: duration and effective energy.
struct NodeOption {
  Seconds time;
  Joules effective_energy;
};

/// A point where the slope of the curve changes.
struct Breakpoint {
  Seconds time;
  Joules effective_energy;
  /// -dE/dT just left of (faster than) the point: what the next second saved costs. At the fastest point, where no
  /// second can be saved, the slope of the last piece (0 for a curve of one point).
  Watts slope;
};

/// The proof that a point is optimal: the primal cost equals the dual value of a feasible flow, in exact integers.
struct Certificate {
  bool feasible = false;       ///< event times respect every duration and precedence
  bool complementary = false;  ///< the flow is conserved and uses tight arcs only
  double primal = 0;           ///< joules
  double dual = 0;             ///< joules
  bool optimal() const { return feasible && complementary && primal == dual; }
};

/// The exact convex curve of effective energy against iteration time when every node may run at any point of the lower
/// convex hull of its options: the relaxation whose value bounds every real plan. By successive shortest paths on the
/// min-cost flow dual (Fulkerson; Phillips and Dessouky), in integers.
class Curve {
 public:
  /// The whole curve, from every node at its cheapest to the fastest makespan. `function_of` gives each node's index
  /// into `functions`; options need not be convex or sorted. Errors: bad_input for a node without options or with a
  /// time that is not positive and finite.
  static Result<Curve> solve(const Dag& dag, std::span<const std::uint32_t> function_of,
                             std::span<const std::vector<NodeOption>> functions);

  /// Slowest first. At least one.
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  Seconds fastest() const { return breakpoints_.back().time; }
  Seconds slowest() const { return breakpoints_.front().time; }
  /// Energy of the curve at `time` (clamped to its ends).
  Joules at(Seconds time) const;
  /// Durations of all nodes at `time` (clamped): optimal for the relaxation and feasible on the DAG.
  std::vector<Seconds> durations(Seconds time) const;
  /// Checks breakpoint `index` from scratch, by a different path than the solver.
  Certificate certify(std::size_t index) const;

 private:
  std::vector<Breakpoint> breakpoints_;
  struct State;
  std::shared_ptr<const State> state_;
};

/// A plan of real options.
struct RealPlan {
  std::vector<std::uint32_t> choice;  ///< per node: index into its function's options
  Seconds time;                       ///< re-timed on the DAG
  Joules effective_energy;
};

/// Real options at least as fast as the curve's durations at `time`, then slack reclaimed: options are slowed down
/// where that saves energy and keeps the makespan within max(time, fastest real makespan).
RealPlan round_to_options(const Dag& dag, std::span<const std::uint32_t> function_of,
                          std::span<const std::vector<NodeOption>> functions, const Curve& curve, Seconds time);

}  // namespace kareus::pipeline
