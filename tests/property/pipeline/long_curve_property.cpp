#include <gtest/gtest.h>

#include "kareus/steady_state.hpp"
#include "pipeline/certificate.hpp"
#include "pipeline/slope_flow.hpp"
#include "random_pipeline.hpp"

namespace kareus::pipeline {
namespace {

RC_GTEST_PROP(LongCurveProperty, EveryPointIsCertifiedAndOnTheWholeCurve, ()) {
  LongPipeline pipeline{
      .stages = *rc::gen::inRange(1, 5), .microbatches = *rc::gen::inRange(1, 120), .functions = {}, .fixed = {}};
  for (int i = 0; i < 2 * pipeline.stages; ++i) pipeline.functions.push_back(random_options(4, 30));
  if (*rc::gen::inRange(0, 4) == 0) pipeline.fixed.transfer = Seconds(*rc::gen::inRange(1, 5));
  const auto curve = LongCurve::solve(pipeline, static_cast<std::size_t>(*rc::gen::inRange(2, 12)));
  RC_ASSERT(curve.has_value());

  const Dag dag = *build_dag(one_forward_one_backward(pipeline.stages, pipeline.microbatches), pipeline.fixed);
  NodeCosts costs{.function_of = {}, .functions = pipeline.functions};
  for (const Dag::Node& node : dag.nodes) {
    const bool forward = node.operation.kind == OperationKind::forward;
    costs.function_of.push_back(static_cast<std::uint32_t>(forward ? node.stage : pipeline.stages + node.stage));
  }
  const Curve whole = *Curve::solve(dag, costs);
  RC_ASSERT(near(curve->points().front().time.si(), whole.slowest().si()));
  RC_ASSERT(near(curve->points().back().time.si(), whole.fastest().si()));
  for (std::size_t i = 0; i < curve->points().size(); ++i) {
    const LongPoint& point = curve->points()[i];
    RC_ASSERT(point.certificate.optimal());
    RC_ASSERT(near(point.effective_energy.si(), whole.at(point.time).si()));
    RC_ASSERT(earliest_times(dag, curve->durations(i)).makespan.si() <= point.time.si() * (1 + 1e-9));
    if (i > 0) RC_ASSERT(point.time < curve->points()[i - 1].time);
  }
}

RC_GTEST_PROP(SlopeFlowProperty, FindsTheOptimumFromAnyStart, ()) {
  RandomPipeline pipeline = random_pipeline(*rc::gen::inRange(1, 14), 5, 20);
  add_fixed_times(pipeline, 10);
  const HullSet hulls = *make_hulls(pipeline.costs.functions, pipeline.dag);
  const EventGraph graph = make_event_graph(pipeline.dag, hulls.grid);
  std::vector<std::int64_t> durations;
  for (const std::uint32_t function : pipeline.costs.function_of) {
    const Hull& hull = hulls.functions[function];
    durations.push_back(hull.ticks[*rc::gen::inRange<std::size_t>(0, hull.ticks.size())]);
  }
  FlowSnapshot guess{.times = earliest_events(graph, durations), .flows = {}};
  std::int64_t steepest = 1;
  for (const Hull& hull : hulls.functions) steepest = std::max(steepest, hull.slopes.back());
  for (std::size_t arc = 0; arc < graph.arcs.size(); ++arc) {
    guess.flows.push_back(*rc::gen::inRange<std::int64_t>(0, steepest));
  }
  const std::int64_t slope = *rc::gen::inRange<std::int64_t>(0, 3 * steepest);
  const FlowSnapshot solution = SlopeFlow(graph, pipeline.costs.function_of, hulls).solve(guess, slope);
  RC_ASSERT(check_claim({.precedences = precedences_of(pipeline.dag, hulls.grid),
                         .graph = graph,
                         .function_of = pipeline.costs.function_of,
                         .hulls = hulls,
                         .solution = solution})
                .optimal());
}

}  // namespace
}  // namespace kareus::pipeline
