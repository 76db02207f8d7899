#include "kareus/steady_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kareus::pipeline {
namespace {

/// Stages that differ, four clocks each.
LongPipeline long_pipeline(int stages, int microbatches, FixedTimes fixed = {}) {
  LongPipeline pipeline{.stages = stages, .microbatches = microbatches, .functions = {}, .fixed = fixed};
  for (int i = 0; i < 2 * stages; ++i) {
    const double work = (i < stages ? 1.0 : 2.0) + 0.07 * (i % stages) - 0.01 * (i % stages) * (i % stages);
    auto& function = pipeline.functions.emplace_back();
    for (int clock = 4; clock <= 7; ++clock) {
      const double time = std::round(1e3 * work * 4 / clock) / 1e3;
      function.push_back({Seconds(time), Joules(work * (10 + 0.9 * clock * clock))});
    }
  }
  return pipeline;
}

Curve whole_curve(const LongPipeline& pipeline, const CurveOptions& options) {
  const Dag dag = *build_dag(one_forward_one_backward(pipeline.stages, pipeline.microbatches), pipeline.fixed);
  NodeCosts costs{.function_of = {}, .functions = pipeline.functions};
  for (const Dag::Node& node : dag.nodes) {
    const bool forward = node.operation.kind == OperationKind::forward;
    costs.function_of.push_back(static_cast<std::uint32_t>(forward ? node.stage : pipeline.stages + node.stage));
  }
  return *Curve::solve(dag, costs, options);
}

/// Every point is certified and on the curve of the whole pipeline; returns how many came from the steady state.
std::size_t expect_on_whole_curve(const LongPipeline& pipeline, const CurveOptions& options = {}) {
  const auto curve = LongCurve::solve(pipeline, 21, options);
  EXPECT_TRUE(curve);
  const Curve whole = whole_curve(pipeline, options);
  EXPECT_NEAR(curve->points().front().time.si(), whole.slowest().si(), 1e-9);
  EXPECT_NEAR(curve->points().back().time.si(), whole.fastest().si(), 1e-9);
  std::size_t continued = 0;
  for (const LongPoint& point : curve->points()) {
    EXPECT_TRUE(point.certificate.optimal()) << point.time.si();
    EXPECT_NEAR(point.effective_energy / whole.at(point.time), 1, 1e-9) << point.time.si();
    continued += point.from_steady_state ? 1 : 0;
  }
  return continued;
}

TEST(LongCurve, IsTheCurveOfTheWholePipeline) {
  EXPECT_GE(expect_on_whole_curve(long_pipeline(2, 60)), 15U);
  EXPECT_GE(expect_on_whole_curve(long_pipeline(4, 64)), 15U);
}

TEST(LongCurve, KeepsTransfersAndReductions) {
  const FixedTimes fixed{.transfer = Seconds(0.01), .gradient_reduction = Seconds(0.5), .optimizer_step = Seconds(0.1)};
  expect_on_whole_curve(long_pipeline(3, 50, fixed));
}

TEST(LongCurve, EndsAtTheLeastSlope) {
  expect_on_whole_curve(long_pipeline(3, 40), {.least_slope = Watts(40)});
}

TEST(LongCurve, SolvesShortPipelinesWhole) {
  const LongPipeline pipeline = long_pipeline(4, 6);
  EXPECT_EQ(expect_on_whole_curve(pipeline), 0U);
  EXPECT_EQ(LongCurve::solve(pipeline, 2)->solved_microbatches(), 6);
}

TEST(LongCurve, DurationsMeetTheTime) {
  const LongPipeline pipeline = long_pipeline(3, 60);
  const auto curve = LongCurve::solve(pipeline, 5);
  ASSERT_TRUE(curve);
  EXPECT_LT(curve->solved_microbatches(), 60);
  const Dag dag = *build_dag(one_forward_one_backward(3, 60));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(earliest_times(dag, curve->durations(i)).makespan.si(), curve->points()[i].time.si(), 1e-6) << i;
  }
}

TEST(LongCurve, RefusesWhatIsNoPipeline) {
  LongPipeline pipeline = long_pipeline(3, 60);
  EXPECT_FALSE(LongCurve::solve(pipeline, 1));
  pipeline.functions.pop_back();
  EXPECT_FALSE(LongCurve::solve(pipeline, 5));
  EXPECT_FALSE(LongCurve::solve({}, 5));
}

}  // namespace
}  // namespace kareus::pipeline
