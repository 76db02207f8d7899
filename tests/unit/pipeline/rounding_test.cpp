#include <gtest/gtest.h>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {
namespace {

NodeOption option(double time, double energy) {
  return {Seconds(time), Joules(energy)};
}

Dag chain(std::size_t length) {
  Dag dag;
  dag.nodes.resize(length);
  dag.predecessors.resize(length);
  for (std::uint32_t node = 1; node < length; ++node) dag.predecessors[node] = {node - 1};
  return dag;
}

RealPlan round(const Dag& dag, const std::vector<std::uint32_t>& function_of,
               const std::vector<std::vector<NodeOption>>& functions, double time) {
  const auto curve = Curve::solve(dag, function_of, functions);
  EXPECT_TRUE(curve);
  return round_to_options(dag, function_of, functions, *curve, Seconds(time));
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
  const std::vector<std::vector<NodeOption>> functions{{option(1.0 / 3, 2), option(2.0 / 3, 1)}};
  const Dag dag = chain(50);
  const std::vector<std::uint32_t> function_of(50, 0);
  const auto curve = Curve::solve(dag, function_of, functions);
  EXPECT_DOUBLE_EQ(round_to_options(dag, function_of, functions, *curve, curve->slowest()).effective_energy.si(), 50);
  EXPECT_DOUBLE_EQ(round_to_options(dag, function_of, functions, *curve, curve->fastest()).effective_energy.si(), 100);
}

}  // namespace
}  // namespace kareus::pipeline
