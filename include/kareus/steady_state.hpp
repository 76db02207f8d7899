#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kareus/curve.hpp"

namespace kareus::pipeline {

/// A 1F1B pipeline with too many microbatches to follow its whole curve.
struct LongPipeline {
  int stages = 0;
  int microbatches = 0;
  /// forward of stage 0, 1, ..., then backward of stage 0, 1, ...; options as in NodeCosts
  std::vector<std::vector<NodeOption>> functions;
  FixedTimes fixed;
};

/// A certified point of a long pipeline's curve.
struct LongPoint {
  Seconds time;
  Joules effective_energy;
  Watts slope;  ///< what a second is worth there: no time costs less energy plus slope * time
  /// On the whole pipeline. Of a point between two corners of the curve: of the faster corner; `feasible` and
  /// `complementary` then say that one flow proves both corners, and with them the line between them.
  Certificate certificate;
  bool from_steady_state = false;  ///< a folded pipeline's solution, unfolded; else the whole pipeline was solved
};

/// Points of the exact curve, about evenly spaced in time. A corner of the curve is the optimum at one slope, found on
/// a pipeline in which one node per stage stands for most of the microbatches, and continued to the whole one. Between
/// two neighbouring corners the curve is a line. Everything is certified on the whole pipeline by the checker of Curve;
/// what fails there is solved with fewer microbatches left out, at last with none.
class LongCurve {
 public:
  /// At most `points` points (2 or more), of which the first and the last are the slow end of `options` and the fastest
  /// time. Errors: as Curve::solve, and bad_input for a number of functions other than two per stage.
  static Result<LongCurve> solve(const LongPipeline& pipeline, std::size_t points, const CurveOptions& options = {});

  /// Slowest first.
  const std::vector<LongPoint>& points() const { return points_; }
  /// Of all nodes of build_dag(one_forward_one_backward(stages, microbatches)), at a point.
  std::vector<Seconds> durations(std::size_t point) const;
  /// Microbatches of the smallest pipeline that was solved.
  int solved_microbatches() const;

 private:
  std::vector<LongPoint> points_;
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace kareus::pipeline
