#include "kareus/rounding.hpp"

#include <gtest/gtest.h>

namespace kareus::pipeline {
namespace {

NodeOption option(double time, double energy) {
  return {Seconds(time), Joules(energy)};
}

Dag chain(std::size_t length) {
  Dag dag;
  dag.nodes.resize(length);
  dag.predecessors.resize(length);
  dag.tail.resize(length);
  dag.node_at.emplace_back();
  dag.stages = 1;
  for (std::uint32_t node = 0; node < length; ++node) {
    if (node > 0) dag.predecessors[node] = {{.node = node - 1, .lag = Seconds(0)}};
    dag.node_at[0].push_back(node);
  }
  return dag;
}

RealPlan round(const Dag& dag, std::vector<std::uint32_t> function_of, std::vector<std::vector<NodeOption>> functions,
               double time) {
  const NodeCosts costs{std::move(function_of), std::move(functions)};
  const auto curve = Curve::solve(dag, costs);
  EXPECT_TRUE(curve);
  return round_to_options(dag, costs, *curve, Seconds(time));
}

TEST(RoundToOptions, UsesAnOptionAboveTheHull) {
  // (2, 5.5) is above the line from (1, 10) to (3, 0), but within 2 s nothing real is cheaper.
  const auto plan = round(chain(1), {0}, {{option(3, 0), option(2, 5.5), option(1, 10)}}, 2.2);
  EXPECT_EQ(plan.choice, (std::vector<std::uint32_t>{1}));
  EXPECT_DOUBLE_EQ(plan.time.si(), 2);
  EXPECT_DOUBLE_EQ(plan.effective_energy.si(), 5.5);
}

TEST(RoundToOptions, NeverUsesADominatedOption) {
  const auto plan = round(chain(1), {0}, {{option(1, 4), option(2, 5), option(5, 1), option(5, 2)}}, 4);
  EXPECT_EQ(plan.choice, (std::vector<std::uint32_t>{0}));
}

TEST(RoundToOptions, SharesTheSlackOfAChain) {
  // The curve wants 1.5 s each; rounding all of them down would waste 2 s.
  const auto plan = round(chain(4), {0, 0, 0, 0}, {{option(1, 2), option(2, 1)}}, 6);
  EXPECT_DOUBLE_EQ(plan.time.si(), 6);
  EXPECT_DOUBLE_EQ(plan.effective_energy.si(), 6);
}

TEST(RoundToOptions, SwapsWhereGreedyStops) {
  // 5 s: greedy slows node 1 or 2 first (best rate); the best plan slows node 0.
  const std::vector<std::vector<NodeOption>> functions{{option(1, 10), option(4, 1)}, {option(1, 8), option(3, 1)}};
  const auto plan = round(chain(2), {0, 1}, functions, 5);
  EXPECT_DOUBLE_EQ(plan.effective_energy.si(), 9);
  EXPECT_EQ(plan.choice, (std::vector<std::uint32_t>{1, 0}));
}

TEST(RoundToOptions, IsFastestWhenMoreIsAsked) {
  const auto plan = round(chain(3), {0, 0, 0}, {{option(1, 2), option(2, 1)}}, 0.5);
  EXPECT_DOUBLE_EQ(plan.time.si(), 3);
  EXPECT_DOUBLE_EQ(plan.effective_energy.si(), 6);
}

TEST(RoundToOptions, IsCheapestWhenTimeIsPlenty) {
  const auto plan = round(chain(3), {0, 0, 0}, {{option(1, 2), option(2, 1)}}, 1000);
  EXPECT_DOUBLE_EQ(plan.time.si(), 6);
  EXPECT_DOUBLE_EQ(plan.effective_energy.si(), 3);
}

TEST(RoundToOptions, AcceptsTimesBelowTheGrid) {
  // Thirds of a second are no whole picoseconds; the options must still be found at the curve's own ends.
  const NodeCosts costs{std::vector<std::uint32_t>(50, 0), {{option(1.0 / 3, 2), option(2.0 / 3, 1)}}};
  const Dag dag = chain(50);
  const auto curve = Curve::solve(dag, costs);
  EXPECT_DOUBLE_EQ(round_to_options(dag, costs, *curve, curve->slowest()).effective_energy.si(), 50);
  EXPECT_DOUBLE_EQ(round_to_options(dag, costs, *curve, curve->fastest()).effective_energy.si(), 100);
}

TEST(RoundToOptions, CountsLagsAndTails) {
  Dag dag = chain(2);
  dag.predecessors[1][0].lag = Seconds(0.5);
  dag.tail[1] = Seconds(1);
  const NodeCosts costs{{0, 0}, {{option(1, 2), option(2, 1)}}};
  const auto curve = Curve::solve(dag, costs);
  ASSERT_TRUE(curve);
  EXPECT_DOUBLE_EQ(round_to_options(dag, costs, *curve, Seconds(4.5)).time.si(), 4.5);
  EXPECT_DOUBLE_EQ(round_to_options(dag, costs, *curve, Seconds(4.4)).time.si(), 3.5);
}

TEST(RoundToOptions, SwitchesOnlyWhereItPays) {
  // Two nodes, two clocks. Within 3 s one may be slow; the switch there and the one back take their time.
  const Dag dag = chain(2);
  const NodeCosts costs{{0, 1}, {{option(1, 10), option(2, 5)}, {option(1, 10), option(2, 6)}}};
  const auto curve = Curve::solve(dag, costs);
  ASSERT_TRUE(curve);
  ClockModel clocks{.clocks = {{Clock{1400}, Clock{700}}, {Clock{1400}, Clock{700}}},
                    .switch_latency = Seconds(0.1),
                    .static_power = {},
                    .parked = {}};
  const auto at = [&](double time) { return round_to_options(dag, costs, *curve, Seconds(time), clocks); };
  EXPECT_EQ(at(3.0).choice, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(at(3.0).clock_switches, 0);
  EXPECT_EQ(at(3.3).choice, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_DOUBLE_EQ(at(3.3).time.si(), 3.2);  // one switch between, one back after the last
  EXPECT_EQ(at(3.3).clock_switches, 2);
  EXPECT_EQ(at(4.0).choice, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(at(4.0).clock_switches, 0);
}

}  // namespace
}  // namespace kareus::pipeline
