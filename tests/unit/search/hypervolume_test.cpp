#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ParetoFront, KeepsTheFirstOfEqualPointsAndDropsTies) {
  const std::vector<Objectives> points = {{2, 2}, {1, 3}, {2, 2}, {1, 4}, {3, 2}, {3, 1}};
  EXPECT_THAT(pareto_front(points), ElementsAre(1, 0, 5));
}

TEST(ParetoFront, OfNothingIsNothing) {
  EXPECT_TRUE(pareto_front({}).empty());
}

TEST(ParetoFront, NeverHoldsAPointThatIsNotFinite) {
  const std::vector<Objectives> points = {{100, kNan}, {kNan, 1}, {1, 1}, {0.5, kInfinity}, {-kInfinity, 5}};
  EXPECT_THAT(pareto_front(points), ElementsAre(2));
}

TEST(Hypervolume, OfHandMadeFronts) {
  EXPECT_DOUBLE_EQ(hypervolume({}, {1, 1}), 0.0);
  EXPECT_DOUBLE_EQ(hypervolume(std::vector<Objectives>{{1, 1}}, {3, 4}), 6.0);
  EXPECT_DOUBLE_EQ(hypervolume(std::vector<Objectives>{{1, 2}, {2, 1}, {2, 2}}, {3, 3}), 3.0);
}

TEST(Hypervolume, OfPointsOnOrBeyondTheReferenceIsZero) {
  EXPECT_EQ(hypervolume(std::vector<Objectives>{{3, 1}, {1, 4}, {5, 5}, {kNan, 0}}, {3, 4}), 0.0);
}

TEST(Hypervolume, AcceptsNegativeEnergies) {
  EXPECT_DOUBLE_EQ(hypervolume(std::vector<Objectives>{{1, -5}}, {2, -4.5}), 0.5);
}

TEST(Hypervolume, OfTheFirstZdtProblemMatchesItsClosedForm) {
  // energy = 1 - sqrt(time) on [0, 1], reference (1.1, 1.1): the integral of 0.1 + sqrt(t), plus 0.1 * 1.1.
  std::vector<Objectives> front;
  constexpr int kPoints = 200000;
  for (int i = 0; i <= kPoints; ++i) {
    const double t = static_cast<double>(i) / kPoints;
    front.push_back({t, 1.0 - std::sqrt(t)});
  }
  EXPECT_NEAR(hypervolume(front, {1.1, 1.1}), 0.1 + 2.0 / 3.0 + 0.11, 1e-5);
}

TEST(Hypervolume, AgreesWithMonteCarlo) {
  std::mt19937_64 engine(42);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Objectives> points(12);
  for (Objectives& point : points) point = {uniform(engine), uniform(engine)};
  constexpr int kSamples = 200000;
  int dominated = 0;
  for (int i = 0; i < kSamples; ++i) {
    const Objectives sample = {1.2 * uniform(engine), 1.2 * uniform(engine)};
    bool hit = false;
    for (const Objectives& p : points) hit = hit || (p.time <= sample.time && p.energy <= sample.energy);
    dominated += hit ? 1 : 0;
  }
  const double estimate = 1.44 * dominated / kSamples;
  EXPECT_NEAR(hypervolume(points, {1.2, 1.2}), estimate, 0.01);  // about seven standard deviations
}

TEST(HypervolumeFront, InsertKeepsOrderAndReplacesTiesInTime) {
  HypervolumeFront front({10, 10});
  for (const Objectives point : {Objectives{4, 4}, {2, 6}, {4, 3}, {4, 5}, {6, 3}, {6, 2}, {kNan, 0}, {11, 0}}) {
    front.insert(point);
  }
  ASSERT_EQ(front.points().size(), 3U);
  EXPECT_EQ(front.points()[0].energy, 6);
  EXPECT_EQ(front.points()[1].energy, 3);
  EXPECT_EQ(front.points()[2].energy, 2);
}

TEST(HypervolumeFront, APointOfTheFrontImprovesNothing) {
  const HypervolumeFront front({10, 10}, std::vector<Objectives>{{2, 6}, {4, 3}});
  EXPECT_EQ(front.improvement({2, 6}), 0.0);
  EXPECT_EQ(front.improvement({4, 3}), 0.0);
  EXPECT_EQ(front.improvement({10, 1}), 0.0);
  EXPECT_EQ(front.improvement({1, kNan}), 0.0);
  EXPECT_EQ(front.improvement({-kInfinity, 1}), 0.0);
  EXPECT_DOUBLE_EQ(front.improvement({1, 1}), 9 * 9 - (2 * 4 + 6 * 7));
}

}  // namespace
}  // namespace kareus::search
