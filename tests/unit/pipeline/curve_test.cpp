#include "kareus/curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace kareus::pipeline {
namespace {

using testing::HasSubstr;

NodeOption option(double time, double energy) {
  return {Seconds(time), Joules(energy)};
}

/// Nodes that only have predecessors: what the solver reads of a DAG.
Dag dag_of(const std::vector<std::vector<std::uint32_t>>& predecessors) {
  Dag dag;
  dag.nodes.resize(predecessors.size());
  for (const auto& before : predecessors) {
    auto& list = dag.predecessors.emplace_back();
    for (const std::uint32_t node : before) list.push_back({.node = node, .lag = Seconds(0)});
  }
  return dag;
}

TEST(Curve, OfOneNodeIsItsHull) {
  const std::vector<std::vector<NodeOption>> functions{
      {option(2, 5), option(1, 9), option(4, 3), option(3, 4.9), option(5, 3.5), option(1, 11)}};
  const auto curve = Curve::solve(dag_of({{}}), NodeCosts{{0}, functions});
  ASSERT_TRUE(curve);
  // (3, 4.9) lies above the hull, (5, 3.5) is slower and dearer than (4, 3).
  ASSERT_EQ(curve->breakpoints().size(), 3U);
  EXPECT_DOUBLE_EQ(curve->slowest().si(), 4);
  EXPECT_DOUBLE_EQ(curve->fastest().si(), 1);
  EXPECT_DOUBLE_EQ(curve->at(Seconds(3)).si(), 4);
  EXPECT_DOUBLE_EQ(curve->at(Seconds(1.5)).si(), 7);
  EXPECT_DOUBLE_EQ(curve->at(Seconds(0)).si(), 9);
  EXPECT_DOUBLE_EQ(curve->at(Seconds(100)).si(), 3);
  EXPECT_DOUBLE_EQ(curve->breakpoints()[0].slope.si(), 1);
  EXPECT_DOUBLE_EQ(curve->breakpoints()[1].slope.si(), 4);
  EXPECT_DOUBLE_EQ(curve->breakpoints()[2].slope.si(), 4);
  EXPECT_DOUBLE_EQ(curve->durations(Seconds(3))[0].si(), 3);
}

TEST(Curve, SpendsWhereASecondIsCheapest) {
  // Two nodes in series: 1 W against 10 W per second saved.
  const std::vector<std::vector<NodeOption>> functions{{option(1, 2), option(2, 1)}, {option(1, 11), option(2, 1)}};
  const auto curve = Curve::solve(dag_of({{}, {0}}), NodeCosts{{0, 1}, functions});
  ASSERT_TRUE(curve);
  EXPECT_NEAR(curve->at(Seconds(3)).si(), 3, 1e-11);
  EXPECT_NEAR(curve->at(Seconds(2.5)).si(), 8, 1e-11);
  const auto durations = curve->durations(Seconds(3));
  EXPECT_DOUBLE_EQ(durations[0].si(), 1);
  EXPECT_DOUBLE_EQ(durations[1].si(), 2);
}

TEST(Curve, TakesSpeedBackWhereItIsNoLongerWorthIt) {
  // 0 -> 2, 0 -> 3, 1 -> 3: below some time, 2 and 1 together are cheaper than 0 and 3 were.
  const std::vector<std::vector<NodeOption>> functions{{option(1, 3), option(3, 0)}, {option(1, 5), option(3, 0)}};
  const auto curve = Curve::solve(dag_of({{}, {}, {0}, {0, 1}}), NodeCosts{{0, 1, 1, 0}, functions});
  ASSERT_TRUE(curve);
  for (std::size_t i = 0; i < curve->breakpoints().size(); ++i) {
    const Certificate certificate = curve->certify(i);
    EXPECT_TRUE(certificate.optimal()) << i;
    EXPECT_NEAR(certificate.primal, curve->breakpoints()[i].effective_energy.si(), 1e-9);
  }
}

TEST(Curve, IsOnePointWhenNothingCanBeChosen) {
  const std::vector<std::vector<NodeOption>> functions{{option(0.25, 10)}};
  const auto dag = build_dag(one_forward_one_backward(3, 4));
  const auto curve = Curve::solve(*dag, NodeCosts{std::vector<std::uint32_t>(dag->nodes.size(), 0), functions});
  ASSERT_TRUE(curve);
  ASSERT_EQ(curve->breakpoints().size(), 1U);
  EXPECT_DOUBLE_EQ(curve->fastest().si(), 3);
  EXPECT_DOUBLE_EQ(curve->at(Seconds(7)).si(), 240);
  EXPECT_EQ(curve->breakpoints()[0].slope.si(), 0);
  EXPECT_TRUE(curve->certify(0).optimal());
}

TEST(Curve, RefusesAFunctionWithoutOptions) {
  const std::vector<std::vector<NodeOption>> functions{{option(1, 1)}, {}};
  const auto curve = Curve::solve(dag_of({{}}), NodeCosts{{0}, functions});
  ASSERT_FALSE(curve);
  EXPECT_THAT(curve.error().to_string(), HasSubstr("function 1: has no options"));
}

TEST(Curve, NamesEveryBadOption) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<NodeOption>> functions{{option(0, 1), option(-1, 1), option(infinity, 1)},
                                                       {option(1, std::numeric_limits<double>::quiet_NaN())}};
  const auto curve = Curve::solve(dag_of({{}, {}}), NodeCosts{{0, 1}, functions});
  ASSERT_FALSE(curve);
  EXPECT_EQ(curve.error().code, ErrorCode::bad_input);
  EXPECT_EQ(curve.error().problems.size(), 4U);
}

TEST(Curve, RefusesFunctionsThatDoNotExist) {
  const std::vector<std::vector<NodeOption>> functions{{option(1, 1)}};
  EXPECT_FALSE(Curve::solve(dag_of({{}, {}}), NodeCosts{{0, 1}, functions}));
  EXPECT_FALSE(Curve::solve(dag_of({{}, {}}), NodeCosts{{0}, functions}));
  EXPECT_FALSE(Curve::solve(dag_of({}), NodeCosts{{}, functions}));
}

TEST(Curve, RefusesWhatItsIntegersCannotHold) {
  const auto solve = [](std::vector<NodeOption> options) {
    const std::vector<std::vector<NodeOption>> functions{std::move(options)};
    return Curve::solve(dag_of({{}}), NodeCosts{{0}, functions});
  };
  EXPECT_FALSE(solve({option(1e300, 1)}));
  EXPECT_FALSE(solve({option(1e20, 1), option(1e-3, 2)}));
  EXPECT_FALSE(solve({option(1, 1e-300), option(2, 0)}));
  EXPECT_TRUE(solve({option(1e20, 1)}));
}

Curve solved(const Dag& dag, NodeCosts costs, CurveOptions options = {}) {
  const auto curve = Curve::solve(dag, costs, options);
  EXPECT_TRUE(curve) << curve.error().to_string();
  return *curve;
}

void expect_certified(const Curve& curve) {
  for (std::size_t i = 0; i < curve.breakpoints().size(); ++i) {
    const Certificate certificate = curve.certify(i);
    EXPECT_TRUE(certificate.optimal()) << i;
    EXPECT_NEAR(certificate.primal, curve.breakpoints()[i].effective_energy.si(), 1e-9) << i;
  }
}

TEST(Curve, KeepsTheLagsAndTheLongestTail) {
  Dag dag = dag_of({{}, {0}});
  dag.predecessors[1][0].lag = Seconds(10);
  dag.tail = {Seconds(13), Seconds(1)};
  const Curve curve = solved(dag, {{0, 0}, {{option(1, 5), option(2, 1)}}});
  // Slow: max(2 + 13, 2 + 10 + 2 + 1); the first node alone brings 14, both bring 13, where the tail of the first
  // is 14.
  EXPECT_DOUBLE_EQ(curve.slowest().si(), 15);
  EXPECT_DOUBLE_EQ(curve.fastest().si(), 14);
  EXPECT_DOUBLE_EQ(curve.at(Seconds(14)).si(), 6);
  EXPECT_DOUBLE_EQ(curve.durations(Seconds(14))[0].si(), 1);
  EXPECT_DOUBLE_EQ(curve.durations(Seconds(14))[1].si(), 2);
  expect_certified(curve);
}

TEST(Curve, RefusesFixedTimesThatAreNone) {
  for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Dag lag = dag_of({{}, {0}});
    lag.predecessors[1][0].lag = Seconds(bad);
    EXPECT_FALSE(Curve::solve(lag, {{0, 0}, {{option(1, 5)}}})) << bad;
    Dag tail = dag_of({{}});
    tail.tail = {Seconds(bad)};
    EXPECT_FALSE(Curve::solve(tail, {{0}, {{option(1, 5)}}})) << bad;
  }
  Dag short_of_tails = dag_of({{}, {0}});
  short_of_tails.tail = {Seconds(0)};
  EXPECT_FALSE(Curve::solve(short_of_tails, {{0, 0}, {{option(1, 5)}}}));
}

TEST(Curve, EndsWhereTheSlopeReachesTheLeast) {
  const NodeCosts costs{{0}, {{option(4, 0), option(3, 1), option(2, 3), option(1, 7)}}};
  const Dag dag = dag_of({{}});
  const Curve exact = solved(dag, costs, {.least_slope = Watts(1.5)});
  ASSERT_EQ(exact.breakpoints().size(), 3U);
  EXPECT_DOUBLE_EQ(exact.slowest().si(), 3);
  EXPECT_DOUBLE_EQ(exact.at(Seconds(4)).si(), 1);
  EXPECT_DOUBLE_EQ(exact.durations(Seconds(2.5))[0].si(), 2.5);
  expect_certified(exact);
  EXPECT_EQ(solved(dag, costs, {.least_slope = Watts(0)}).breakpoints().size(), 4U);
  const Curve steep = solved(dag, costs, {.least_slope = Watts(1e6)});
  ASSERT_EQ(steep.breakpoints().size(), 1U);
  EXPECT_DOUBLE_EQ(steep.slowest().si(), 1);
  EXPECT_DOUBLE_EQ(steep.breakpoints()[0].slope.si(), 4);
  expect_certified(steep);
}

TEST(Curve, SlopeIsThatOfThePieceThatEnds) {
  const Curve curve = solved(dag_of({{}}), {{0}, {{option(4, 0), option(3, 1), option(2, 3)}}});
  EXPECT_DOUBLE_EQ(curve.slope_at(Seconds(5)).si(), 0);
  EXPECT_DOUBLE_EQ(curve.slope_at(Seconds(4)).si(), 1);
  EXPECT_DOUBLE_EQ(curve.slope_at(Seconds(3.5)).si(), 1);
  EXPECT_DOUBLE_EQ(curve.slope_at(Seconds(3)).si(), 2);
  EXPECT_DOUBLE_EQ(curve.slope_at(Seconds(1)).si(), 2);
}

TEST(Curve, KeepsWorkingWhenCopiedFromATemporary) {
  std::vector<Seconds> durations;
  {
    const std::vector<std::vector<NodeOption>> functions{{option(1, 2), option(2, 1)}};
    const Curve curve = *Curve::solve(dag_of({{}, {0}}), NodeCosts{{0, 0}, functions});
    const Curve copy = curve;
    durations = copy.durations(Seconds(2));
  }
  EXPECT_DOUBLE_EQ((durations[0] + durations[1]).si(), 2);
}

}  // namespace
}  // namespace kareus::pipeline
