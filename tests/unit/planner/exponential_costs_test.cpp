#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "profile_support.hpp"

namespace kareus::planner {
namespace {

using ::testing::HasSubstr;

/// Options whose effective energy is 40 exp(-t / 30 ms) + 5 J at whole milliseconds.
std::vector<ProfileOption> exact_options(int count, double scale) {
  std::vector<ProfileOption> options;
  for (int i = 0; i < count; ++i) {
    const double ms = 50 + 10 * i;
    const double effective = 40 * std::exp(-ms / 30) + 5;
    options.push_back({.clock = Clock{1400 - 100 * i},
                       .configuration = {},
                       .time = Seconds((ms + 0.5) * 1e-3),
                       .energy = Joules(scale * (effective + 70 * ms * 1e-3))});
  }
  return options;
}

TEST(ExponentialCosts, RecoversAnExponentialAtEveryUnit) {
  for (const double scale : {1.0, 1e-6, 1e9}) {
    const auto costs = exponential_costs(exact_options(6, scale), Watts(70 * scale), Seconds(1e-3), 0.95, "stage 0");
    ASSERT_TRUE(costs) << costs.error().to_string();
    ASSERT_EQ(costs->size(), 51U);
    for (const pipeline::NodeOption& option : *costs) {
      const double expected = scale * (40 * std::exp(-option.time.si() * 1e3 / 30) + 5);
      EXPECT_NEAR(option.effective_energy.si(), expected, 1e-7 * expected);
    }
  }
}

TEST(ExponentialCosts, NeedsThreeDurationsAndSaysWhose) {
  const auto two = exponential_costs(exact_options(2, 1), Watts(70), Seconds(1e-3), 0.95, "stage 1 backward");
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().to_string(), HasSubstr("stage 1 backward: 2 durations of use"));
  const auto coarse = exponential_costs(exact_options(6, 1), Watts(70), Seconds(0.2), 0.95, "stage 0 forward");
  ASSERT_FALSE(coarse);
  EXPECT_THAT(coarse.error().to_string(), HasSubstr("stage 0 forward"));
  EXPECT_FALSE(exponential_costs(exact_options(6, 1), Watts(70), Seconds(1e-9), 0.95, "x"));
}

TEST(ExponentialCosts, RefusesEnergyThatDoesNotFallConvexly) {
  std::vector<ProfileOption> options;
  for (const auto& [time, energy] : {std::pair{0.1, 10.0}, {0.2, 9.0}, {0.3, 7.0}, {0.4, 4.0}}) {
    options.push_back({.clock = Clock{1000}, .configuration = {}, .time = Seconds(time), .energy = Joules(energy)});
  }
  const auto costs = exponential_costs(options, Watts(0), Seconds(1e-2), 1, "stage 0 forward");
  ASSERT_FALSE(costs);
  EXPECT_THAT(costs.error().to_string(), HasSubstr("stage 0 forward: energy does not fall convexly"));
}

}  // namespace
}  // namespace kareus::planner
