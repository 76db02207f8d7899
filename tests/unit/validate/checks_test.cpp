#include "validate/checks.hpp"

#include <gtest/gtest.h>

#include "validate/reductions.hpp"

namespace kareus::validate {
namespace {

TEST(Checks, MeanAndLargestAreOfMagnitudes) {
  std::vector<Check> checks;
  add_errors(checks, "level", "name", std::vector<double>{0.02, -0.06}, 0.05, 0.05);
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_DOUBLE_EQ(checks[0].error, 0.04);
  EXPECT_TRUE(checks[0].passed);
  EXPECT_DOUBLE_EQ(checks[1].error, 0.06);
  EXPECT_FALSE(checks[1].passed);
  EXPECT_FALSE(passed(checks));
}

TEST(Checks, WhatHasNoToleranceCannotFail) {
  std::vector<Check> checks;
  add_value(checks, "level", "name", "s", 1.0, 3.0, std::nullopt);
  EXPECT_DOUBLE_EQ(checks[0].error, 2.0);
  EXPECT_TRUE(passed(checks));
}

TEST(Checks, PointsAreDifferences) {
  std::vector<Check> checks;
  add_points(checks, "level", "name", 10.0, 7.0, 3.0);
  EXPECT_DOUBLE_EQ(checks[0].error, -3.0);
  EXPECT_TRUE(checks[0].passed);
  add_points(checks, "level", "name", 10.0, 6.9, 3.0);
  EXPECT_FALSE(checks[1].passed);
}

schedule::FrontierFile frontier(std::vector<std::pair<double, double>> points) {
  schedule::FrontierFile file;
  for (const auto& [time, energy] : points) {
    file.points.push_back({});
    file.points.back().time = Seconds(time);
    file.points.back().energy = Joules(energy);
  }
  return file;
}

TEST(Reductions, AreAgainstTheEndsOfTheBase) {
  const auto base = frontier({{10.0, 200.0}, {14.0, 150.0}});
  const auto ours = frontier({{8.0, 190.0}, {9.5, 160.0}, {11.0, 140.0}});
  EXPECT_NEAR(time_reduction(ours, base), 20.0, 1e-9);
  EXPECT_NEAR(energy_reduction(ours, base), 5.0, 1e-9);
  EXPECT_NEAR(*iso_time_energy(ours, base), 20.0, 1e-9);
  EXPECT_NEAR(*iso_energy_time(ours, base), 100.0 * 3.0 / 14.0, 1e-9);
  const auto worse = frontier({{11.0, 210.0}});
  EXPECT_FALSE(iso_time_energy(worse, base));
  EXPECT_FALSE(iso_energy_time(worse, base));
}

}  // namespace
}  // namespace kareus::validate
