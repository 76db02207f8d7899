#include "validate/checks.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kareus::validate
