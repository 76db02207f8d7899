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
  Watts slope;
  /// The point lies on a line between two solutions that one flow proves optimal; this is the proof of the dearer one,
  /// `feasible` and `complementary` say that both hold, on the whole pipeline.
  Certificate certificate;
  bool from_steady_state = false;  ///< else from solving the whole pipeline
};

/// Points of the exact curve, evenly spaced in time. A shorter pipeline is solved, and where its solution repeats
/// itself from microbatch to microbatch, event times and flow are continued periodically to the whole pipeline. Every
/// point is certified there by the checker of Curve; a point that cannot be continued is solved on the whole pipeline.
class LongCurve {
 public:
  /// At least 2 points: the ends are the fastest time and the slow end of `options`. Errors: as Curve::solve, and
  /// bad_input for a number of functions other than two per stage.
  static Result<LongCurve> solve(const LongPipeline& pipeline, std::size_t points, const CurveOptions& options = {});

  /// Slowest first.
  const std::vector<LongPoint>& points() const { return points_; }
  /// Of all nodes of build_dag(one_forward_one_backward(stages, microbatches)), at a point.
  std::vector<Seconds> durations(std::size_t point) const;
  /// Microbatches of the pipeline that was solved.
  int solved_microbatches() const;

 private:
  std::vector<LongPoint> points_;
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace kareus::pipeline
