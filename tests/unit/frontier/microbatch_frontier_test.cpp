#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kareus/frontier.hpp"

namespace kareus::frontier {
namespace {

TypeOptions::Option option(int sm_count, double time, double energy) {
  return {.config = {.sm_count = {sm_count}, .launch_slot = "linear_0"},
          .cost = {.time = Seconds(time), .effective_energy = Joules(energy)}};
}

TypeOptions type(std::string name, double count, std::vector<TypeOptions::Option> options) {
  return {.type = std::move(name), .recomputed = false, .count = count, .options = std::move(options)};
}

ClockOptions at_clock(int mhz, std::vector<TypeOptions> types) {
  return {.clock = {mhz}, .types = std::move(types), .non_partition = {}, .sequential = std::nullopt};
}

TEST(MicrobatchFrontier, AddsCountsNonPartitionWorkAndStaticEnergy) {
  ClockOptions clock = at_clock(1410, {type("attn", 3, {option(4, 1, 10)}), type("mlp", 2, {option(8, 2, 20)})});
  clock.non_partition = {.time = Seconds(0.5), .effective_energy = Joules(7)};
  const auto frontier = microbatch_frontier(std::vector{clock}, Watts(100));
  ASSERT_EQ(frontier.size(), 1U);
  EXPECT_DOUBLE_EQ(frontier[0].time.si(), 7.5);
  EXPECT_DOUBLE_EQ(frontier[0].energy.si(), 30 + 40 + 7 + 750);
  EXPECT_EQ(frontier[0].schedule.clock.mhz, 1410);
  EXPECT_FALSE(frontier[0].schedule.sequential);
  EXPECT_EQ(frontier[0].schedule.partitions.at("attn").sm_count.value, 4);
  EXPECT_EQ(frontier[0].schedule.partitions.at("mlp").sm_count.value, 8);
}

TEST(MicrobatchFrontier, RemembersWhichOptionOfEachTypeWasUsed) {
  const ClockOptions clock = at_clock(
      1000, {type("a", 1, {option(1, 1, 5), option(2, 3, 1)}), type("b", 1, {option(3, 10, 50), option(4, 30, 10)})});
  const auto frontier = microbatch_frontier(std::vector{clock}, Watts(0));
  ASSERT_EQ(frontier.size(), 4U);
  const int expected[][2] = {{1, 3}, {2, 3}, {1, 4}, {2, 4}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(frontier[i].schedule.partitions.at("a").sm_count.value, expected[i][0]) << i;
    EXPECT_EQ(frontier[i].schedule.partitions.at("b").sm_count.value, expected[i][1]) << i;
  }
}

TEST(MicrobatchFrontier, PutsRecomputedTypesApart) {
  TypeOptions again = type("attn", 1, {option(9, 1, 1)});
  again.recomputed = true;
  const ClockOptions clock = at_clock(1000, {type("attn", 1, {option(3, 1, 1)}), again});
  const auto frontier = microbatch_frontier(std::vector{clock}, Watts(0));
  ASSERT_EQ(frontier.size(), 1U);
  EXPECT_EQ(frontier[0].schedule.partitions.at("attn").sm_count.value, 3);
  EXPECT_EQ(frontier[0].schedule.recomputed.at("attn").sm_count.value, 9);
}

TEST(MicrobatchFrontier, SequentialExecutionWinsWhenItIsBetter) {
  ClockOptions clock = at_clock(1200, {type("a", 1, {option(1, 2, 20)})});
  clock.sequential = Cost{.time = Seconds(1.5), .effective_energy = Joules(19)};
  const auto frontier = microbatch_frontier(std::vector{clock}, Watts(10));
  ASSERT_EQ(frontier.size(), 1U);
  EXPECT_TRUE(frontier[0].schedule.sequential);
  EXPECT_TRUE(frontier[0].schedule.partitions.empty());
  EXPECT_DOUBLE_EQ(frontier[0].energy.si(), 34);
}

TEST(MicrobatchFrontier, SequentialExecutionLosesWhenItIsWorse) {
  ClockOptions clock = at_clock(1200, {type("a", 1, {option(1, 2, 20)})});
  clock.sequential = Cost{.time = Seconds(2.5), .effective_energy = Joules(21)};
  // Already includes non-partition work, which must not be added again.
  clock.non_partition = {.time = Seconds(0.25), .effective_energy = Joules(0.5)};
  const auto frontier = microbatch_frontier(std::vector{clock}, Watts(10));
  ASSERT_EQ(frontier.size(), 1U);
  EXPECT_FALSE(frontier[0].schedule.sequential);
  EXPECT_DOUBLE_EQ(frontier[0].time.si(), 2.25);
}

TEST(MicrobatchFrontier, ATypeWithoutOptionsRulesOutOverlapAtThatClockOnly) {
  ClockOptions incomplete = at_clock(1400, {type("a", 1, {option(1, 1, 20)}), type("b", 1, {})});
  incomplete.sequential = Cost{.time = Seconds(4), .effective_energy = Joules(100)};
  const ClockOptions complete = at_clock(1200, {type("a", 1, {option(2, 3, 20)}), type("b", 1, {option(5, 2, 20)})});
  const auto frontier = microbatch_frontier(std::vector{incomplete, complete}, Watts(0));
  ASSERT_EQ(frontier.size(), 2U);
  EXPECT_TRUE(frontier[0].schedule.sequential);
  EXPECT_EQ(frontier[0].schedule.clock.mhz, 1400);
  EXPECT_EQ(frontier[1].schedule.clock.mhz, 1200);
}

TEST(MicrobatchFrontier, ATypeThatNeverRunsNeedsNoOptions) {
  const ClockOptions clock = at_clock(1200, {type("a", 2, {option(1, 1, 20)}), type("b", 0, {})});
  const auto frontier = microbatch_frontier(std::vector{clock}, Watts(0));
  ASSERT_EQ(frontier.size(), 1U);
  EXPECT_DOUBLE_EQ(frontier[0].time.si(), 2);
  EXPECT_FALSE(frontier[0].schedule.partitions.contains("b"));
}

TEST(MicrobatchFrontier, IsEmptyWhenNothingCanRun) {
  EXPECT_TRUE(microbatch_frontier({}, Watts(85)).empty());
  EXPECT_TRUE(microbatch_frontier(std::vector{at_clock(1200, {})}, Watts(85)).empty());
  EXPECT_TRUE(microbatch_frontier(std::vector{at_clock(1200, {type("a", 0, {option(1, 1, 1)})})}, Watts(85)).empty());
}

TEST(MicrobatchFrontier, OfEqualExecutionsTheFirstClockStays) {
  const std::vector clocks{at_clock(1300, {type("a", 1, {option(1, 1, 1), option(2, 1, 1)})}),
                           at_clock(1200, {type("a", 1, {option(3, 1, 1)})})};
  const auto frontier = microbatch_frontier(clocks, Watts(0));
  ASSERT_EQ(frontier.size(), 1U);
  EXPECT_EQ(frontier[0].schedule.partitions.at("a").sm_count.value, 1);
}

// Equal types give the same sums in many orders of adding, which differ in the last bit and must not be kept apart.
TEST(MicrobatchFrontier, PermutationsOfEqualTypesAreOnePoint) {
  std::vector<TypeOptions> types;
  for (int i = 0; i < 8; ++i) {
    types.push_back(type(fmt::format("t{}", i), 1, {option(1, 0.1, 0.9), option(2, 0.2, 0.5), option(3, 0.3, 0.1)}));
  }
  const auto frontier = microbatch_frontier(std::vector{at_clock(1200, types)}, Watts(0));
  EXPECT_EQ(frontier.size(), 17U);  // 0.8, 0.9, ... 2.4 s
}

TEST(MicrobatchFrontier, RefusesNumbersThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ANY_THROW(microbatch_frontier(std::vector{at_clock(1200, {type("a", 1, {option(1, nan, 1)})})}, Watts(0)));
  EXPECT_ANY_THROW(microbatch_frontier(std::vector{at_clock(1200, {type("a", 1, {option(1, 1, nan)})})}, Watts(0)));
  EXPECT_ANY_THROW(microbatch_frontier(std::vector{at_clock(1200, {type("a", -1, {option(1, 1, 1)})})}, Watts(0)));
}

}  // namespace
}  // namespace kareus::frontier
