#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

/// A point where the slope of the curve changes.
struct Breakpoint {
  Seconds time;
  Joules effective_energy;
  Watts slope;  ///< -dE/dT just left of (faster than) the point; at the fastest point that of the last piece
};

/// The proof that a point is optimal: the primal cost equals the dual value of a feasible flow, in exact integers.
struct Certificate {
  bool feasible = false;       ///< event times respect every duration, precedence and lag
  bool complementary = false;  ///< the flow is conserved and uses tight arcs only
  double primal = 0;           ///< joules
  double dual = 0;             ///< joules
  bool optimal() const { return feasible && complementary && primal == dual; }
};

/// The optimum of the relaxation at a time: primal and dual.
struct CurvePoint {
  std::vector<Seconds> durations;  ///< per node
  /// What a second of each node is worth to the iteration: the flow through it.
  std::vector<Watts> node_price;
  /// The flow from the end of each predecessor to the begin of the node, one node's predecessors after another's.
  std::vector<Watts> predecessor_price;
  Watts slope;  ///< what a second of the iteration is worth: the value of the flow
};

struct CurveOptions {
  /// Ends the curve at the slow side where slowing down stops to be worth it: pieces of smaller slope are left out
  /// (for total energy: stages x static power). Nothing: the whole curve.
  std::optional<Watts> least_slope;
};

/// The exact convex curve of effective energy against iteration time when every node may run at any point of the lower
/// convex hull of its options: the relaxation whose value bounds every real plan. By successive shortest paths on the
/// min-cost flow dual (Fulkerson; Phillips and Dessouky), in integers.
class Curve {
 public:
  /// Errors: bad_input for a node without options or with a time that is not positive and finite.
  static Result<Curve> solve(const Dag& dag, const NodeCosts& costs, const CurveOptions& options = {});

  /// Slowest first. At least one.
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  Seconds fastest() const { return breakpoints_.back().time; }
  Seconds slowest() const { return breakpoints_.front().time; }
  /// So many times (at least 2), evenly spaced from the fastest to the slowest.
  std::vector<Seconds> even_times(std::size_t count) const;
  /// Energy of the curve at `time` (clamped to its ends).
  Joules at(Seconds time) const;
  /// -dE/dT at `time`: of the piece that ends there when it is a breakpoint.
  Watts slope_at(Seconds time) const;
  /// Durations of all nodes at `time` (clamped): optimal for the relaxation and feasible on the DAG.
  std::vector<Seconds> durations(Seconds time) const { return point(time).durations; }
  /// The durations with the prices that prove them optimal: those of the piece that begins at `time` when it is a
  /// breakpoint.
  CurvePoint point(Seconds time) const;
  /// Checks breakpoint `index` from scratch, by a different path than the solver.
  Certificate certify(std::size_t index) const;
  /// The first breakpoint that its certificate does not prove optimal, or that has another time or energy than what is
  /// proved; nothing when all are right. As certify() for each of them, in about the time of solve().
  std::optional<std::size_t> first_uncertified() const;

 private:
  std::vector<Breakpoint> breakpoints_;
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace kareus::pipeline
