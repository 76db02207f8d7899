#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "frontiers.hpp"

namespace kareus::schedule {
namespace {

using ::testing::HasSubstr;

TEST(Select, DeadlineTakesTheLeastEnergyWithinIt) {
  const auto frontier = testing::small_frontier();
  EXPECT_EQ(select(frontier, Deadline{Seconds(9.0)}), 0U);
  EXPECT_EQ(select(frontier, Deadline{Seconds(11.0)}), 1U);
  // The last point fits, but the middle one needs less energy.
  EXPECT_EQ(select(frontier, Deadline{Seconds(100.0)}), 1U);
}

TEST(Select, BudgetIsOfAllGpusAndTakesTheLeastTime) {
  const auto frontier = testing::small_frontier();
  EXPECT_DOUBLE_EQ(job_energy(frontier, Joules(3.0)).si(), 24.0);
  EXPECT_EQ(select(frontier, EnergyBudget{Joules(8.0 * 580.0)}), 0U);
  EXPECT_EQ(select(frontier, EnergyBudget{Joules(8.0 * 579.0)}), 1U);
}

TEST(Select, Extremes) {
  const auto frontier = testing::small_frontier();
  EXPECT_EQ(select(frontier, MaxThroughput{}), 0U);
  EXPECT_EQ(select(frontier, MinEnergy{}), 1U);
}

TEST(Select, InfeasibleDeadlineNamesTheFastestAndWhatItNamesIsServed) {
  auto frontier = testing::small_frontier();
  frontier.points[0].time = Seconds(9.00000123456789);
  const auto refused = select(frontier, Deadline{Seconds(8.9)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::infeasible);
  const std::string text = refused.error().to_string();
  EXPECT_THAT(text, HasSubstr("8.9 s"));
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, std::regex("at least ([0-9.e+-]+) s"))) << text;
  EXPECT_EQ(select(frontier, Deadline{Seconds(std::stod(match[1]))}), 0U) << text;
}

TEST(Select, InfeasibleBudgetNamesTheCheapestAndWhatItNamesIsServed) {
  const auto frontier = testing::small_frontier();
  const auto refused = select(frontier, EnergyBudget{Joules(1.0)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::infeasible);
  const std::string text = refused.error().to_string();
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, std::regex("at least ([0-9.e+-]+) J"))) << text;
  EXPECT_EQ(select(frontier, EnergyBudget{Joules(std::stod(match[1]))}), 1U) << text;
}

TEST(Select, EmptyFrontierAndNoNumberAreRefused) {
  const auto empty = select(FrontierFile{}, MinEnergy{});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::infeasible);
  const auto nan = select(testing::small_frontier(), Deadline{Seconds(std::numeric_limits<double>::quiet_NaN())});
  ASSERT_FALSE(nan);
  EXPECT_EQ(nan.error().code, ErrorCode::usage);
}

TEST(MakePlan, TakesEachInstructionsChosenOption) {
  const auto frontier = testing::small_frontier();
  const Plan plan = make_plan(frontier, 1);
  EXPECT_EQ(plan.time, frontier.points[1].time);
  EXPECT_EQ(plan.energy, frontier.points[1].energy);
  EXPECT_EQ(plan.gpus_per_stage, 4);
  EXPECT_EQ(plan.provenance, frontier.provenance);
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_EQ(plan.stages[0][0].schedule, frontier.stages[0].forward[1].schedule);
  EXPECT_EQ(plan.stages[0][1].schedule, frontier.stages[0].forward[0].schedule);
  EXPECT_EQ(plan.stages[1][1].schedule, frontier.stages[1].backward[1].schedule);
  EXPECT_EQ(plan.stages[1][1].energy, Joules(70.0));
  EXPECT_EQ(plan.stages[1][2].instruction, (Instruction{InstructionKind::forward, 1}));
}

TEST(MakePlan, AnIndexBeyondTheFrontierIsADefect) {
  EXPECT_THROW(make_plan(testing::small_frontier(), 3), std::logic_error);
}

}  // namespace
}  // namespace kareus::schedule
