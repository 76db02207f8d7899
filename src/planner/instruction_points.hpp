#pragma once

#include "kareus/instruction_frontier.hpp"
#include "planner/pipeline_group.hpp"

namespace kareus::planner {

/// Turns times of the curve into points with real clocks. Keeps references to what it is given.
class PointMaker {
 public:
  PointMaker(const PipelineGroup& group, const pipeline::Curve& curve, const InstructionFrontierOptions& options);

  /// The point with real clocks for the curve at `time`.
  InstructionPoint at(Seconds time) const;

  /// `options.points` of them, evenly spaced over the curve, without those that others beat; fastest first.
  std::vector<InstructionPoint> all() const;

  /// Adds to `notes` what the answer does not show. Errors: infeasible, naming the nearest feasible time or energy.
  Result<InstructionPoint> requested(const PointRequest& request, std::vector<std::string>& notes) const;

 private:
  Result<InstructionPoint> serve(const AtTime& request, std::vector<std::string>& notes) const;
  Result<InstructionPoint> serve(const AtEnergy& request, std::vector<std::string>& notes) const;
  Result<InstructionPoint> serve(const AtStraggler& request, std::vector<std::string>& notes) const;
  InstructionPoint make_point(Seconds curve_time, const pipeline::RealPlan& plan) const;
  Joules curve_energy(Seconds time) const;
  Seconds least_energy_time() const;

  const PipelineGroup& group_;
  const pipeline::Curve& curve_;
  bool full_ = false;
  std::size_t points_ = 1;
  Watts all_static_power_;
  pipeline::ClockModel clocks_;
};

/// Certificate of the curve at `time`, which lies on the piece between two breakpoints: their certificates are about
/// the flow of that piece, so it is optimal between them too.
pipeline::Certificate certify_at(const pipeline::Curve& curve, Seconds time);

}  // namespace kareus::planner
