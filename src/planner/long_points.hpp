#pragma once

#include "kareus/instruction_frontier.hpp"
#include "planner/pipeline_group.hpp"

namespace kareus::planner {

/// Instructions from which the whole curve is not followed where pipeline::LongCurve can give points of it.
inline constexpr std::size_t kLongPipeline = 200'000;

/// Whether the steady state serves this case: one long pipeline under 1F1B, clocks switched at no cost.
bool is_long(const std::vector<InstructionProfile>& profiles, const InstructionFrontierOptions& options);

/// Fills `curve` and `points` of `result` from pipeline::LongCurve: `options.points` certified points of the curve,
/// each with real clocks that are at least as fast. A request is served by the best of them. Errors: as Curve::solve;
/// infeasible.
Result<void> solve_long(const PipelineGroup& group, const InstructionFrontierOptions& options,
                        const pipeline::CurveOptions& curve_options, InstructionFrontier& result);

}  // namespace kareus::planner
