#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/pipeline/order_support.hpp"

namespace kareus::pipeline {
namespace {

using testing::HasSubstr;

struct Size {
  int stages = 1;
  int microbatches = 1;
};
const std::vector<Size> kSizes{{1, 1}, {1, 5}, {2, 1}, {2, 3}, {4, 2}, {4, 4}, {4, 13}, {7, 30}};

/// Checks that every stage runs each of the kinds on each microbatch and chunk once, and nothing else.
void expect_complete(const Order& order, const std::vector<OperationKind>& kinds, int microbatches, int chunks = 1) {
  for (const auto& stage : order) {
    const auto each = static_cast<std::size_t>(microbatches * chunks);
    EXPECT_EQ(stage.size(), kinds.size() * each);
    for (const OperationKind kind : kinds) EXPECT_EQ(distinct(stage, kind), each) << to_string(kind);
  }
}

double built_makespan(const Order& order, const Durations& durations = {}) {
  const auto dag = build_dag(order);
  EXPECT_TRUE(dag.has_value()) << (dag ? "" : dag.error().to_string());
  return dag ? makespan(*dag, durations) : -1;
}

TEST(OneForwardOneBackward, TwoStages) {
  const Order order = one_forward_one_backward(2, 3);
  EXPECT_EQ(order[0], (std::vector<Operation>{{kF, 0, 0}, {kF, 1, 0}, {kB, 0, 0}, {kF, 2, 0}, {kB, 1, 0}, {kB, 2, 0}}));
  EXPECT_EQ(order[1], (std::vector<Operation>{{kF, 0, 0}, {kB, 0, 0}, {kF, 1, 0}, {kB, 1, 0}, {kF, 2, 0}, {kB, 2, 0}}));
}

TEST(OneForwardOneBackward, FewerMicrobatchesThanStages) {
  const Order order = one_forward_one_backward(4, 2);
  EXPECT_EQ(order[0], (std::vector<Operation>{{kF, 0, 0}, {kF, 1, 0}, {kB, 0, 0}, {kB, 1, 0}}));
  EXPECT_EQ(order[3], (std::vector<Operation>{{kF, 0, 0}, {kB, 0, 0}, {kF, 1, 0}, {kB, 1, 0}}));
  EXPECT_TRUE(build_dag(order));
}

TEST(OneForwardOneBackward, TakesTheTextbookTimeAndMemory) {
  for (const auto& [stages, microbatches] : kSizes) {
    const Order order = one_forward_one_backward(stages, microbatches);
    expect_complete(order, {kF, kB}, microbatches);
    EXPECT_DOUBLE_EQ(built_makespan(order), (microbatches + stages - 1) * 3);
    for (int stage = 0; stage < stages; ++stage) {
      EXPECT_EQ(most_in_flight(order[static_cast<std::size_t>(stage)]), std::min(microbatches, stages - stage));
    }
  }
}

TEST(GPipe, TakesTheTimeOf1F1BAndKeepsAllMicrobatches) {
  for (const auto& [stages, microbatches] : kSizes) {
    const Order order = gpipe(stages, microbatches);
    expect_complete(order, {kF, kB}, microbatches);
    EXPECT_DOUBLE_EQ(built_makespan(order), (microbatches + stages - 1) * 3);
    for (const auto& stage : order) EXPECT_EQ(most_in_flight(stage), microbatches);
  }
}

TEST(Interleaved, FirstStageOfTwoWithTwoChunks) {
  const auto order = interleaved(2, 4, 2);
  ASSERT_TRUE(order);
  EXPECT_EQ((*order)[0], (std::vector<Operation>{{kF, 0, 0},
                                                 {kF, 1, 0},
                                                 {kF, 0, 1},
                                                 {kF, 1, 1},
                                                 {kF, 2, 0},
                                                 {kB, 0, 1},
                                                 {kF, 3, 0},
                                                 {kB, 1, 1},
                                                 {kF, 2, 1},
                                                 {kB, 0, 0},
                                                 {kF, 3, 1},
                                                 {kB, 1, 0},
                                                 {kB, 2, 1},
                                                 {kB, 3, 1},
                                                 {kB, 2, 0},
                                                 {kB, 3, 0}}));
}

TEST(Interleaved, ShrinksTheBubbleByTheNumberOfChunks) {
  for (const int stages : {1, 2, 4, 6}) {
    for (const int chunks : {2, 3, 5}) {
      for (const int groups : {1, 2, 7}) {
        const int microbatches = stages * groups;
        const auto order = interleaved(stages, microbatches, chunks);
        ASSERT_TRUE(order);
        expect_complete(*order, {kF, kB}, microbatches, chunks);
        // A chunk's operation takes 3 / chunks of what the stage's takes, so the bubble of 1F1B is divided by `chunks`.
        EXPECT_NEAR(built_makespan(*order, {.forward = 1.0 / chunks, .backward = 2.0 / chunks}),
                    3.0 * microbatches + 3.0 * (stages - 1) / chunks, 1e-9)
            << stages << " stages, " << chunks << " chunks, " << microbatches << " microbatches";
        for (int stage = 0; stage < stages; ++stage) {
          const int warm_up = 2 * (stages - stage - 1) + (chunks - 1) * stages;
          EXPECT_EQ(most_in_flight((*order)[static_cast<std::size_t>(stage)]),
                    std::min(microbatches * chunks, warm_up + 1));
        }
      }
    }
  }
}

TEST(Interleaved, IsPlainWithOneChunk) {
  const auto order = interleaved(4, 8, 1);
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, one_forward_one_backward(4, 8));
}

TEST(Interleaved, RefusesMicrobatchesThatDoNotDivide) {
  const auto order = interleaved(4, 6, 2);
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().code, ErrorCode::bad_input);
  EXPECT_THAT(order.error().to_string(), HasSubstr("a multiple of the 4 stages as the number of microbatches, not 6"));
  EXPECT_THAT(order.error().to_string(), HasSubstr("take 4 or 8"));
}

TEST(ZeroBubbleH1, LastOfThreeStages) {
  EXPECT_EQ(
      zero_bubble_h1(3, 3)[2],
      (std::vector<Operation>{
          {kF, 0, 0}, {kI, 0, 0}, {kF, 1, 0}, {kI, 1, 0}, {kF, 2, 0}, {kI, 2, 0}, {kW, 0, 0}, {kW, 1, 0}, {kW, 2, 0}}));
}

TEST(ZeroBubbleH1, HasThePublishedBubbleWithinTheMemoryOf1F1B) {
  for (const auto& [stages, microbatches] : kSizes) {
    const Order order = zero_bubble_h1(stages, microbatches);
    expect_complete(order, {kF, kI, kW}, microbatches);
    for (const auto& stage : order) EXPECT_LE(most_in_flight(stage), stages);
    for (const Durations& d : {Durations{}, Durations{.input_gradient = 1.25, .weight_gradient = 0.75}}) {
      const double bubble =
          built_makespan(order, d) - microbatches * (d.forward + d.input_gradient + d.weight_gradient);
      const double published = (stages - 1) * (d.forward + d.input_gradient - d.weight_gradient);
      if (microbatches >= stages) {
        EXPECT_NEAR(bubble, published, 1e-9) << stages << " stages, " << microbatches << " microbatches";
      }
      const double plain = (stages - 1) * (d.forward + d.input_gradient + d.weight_gradient);
      if (stages > 1) {
        EXPECT_LT(bubble, plain);
      }
    }
  }
}

TEST(EarlyRecomputation, RecomputesOnlyAfterTheForwardsHaveRunOut) {
  const Order order = early_recomputation(3, 4);
  EXPECT_EQ(order[0], (std::vector<Operation>{{kF, 0, 0},
                                              {kF, 1, 0},
                                              {kF, 2, 0},
                                              {kB, 0, 0},
                                              {kF, 3, 0},
                                              {kB, 1, 0},
                                              {kR, 2, 0},
                                              {kB, 2, 0},
                                              {kR, 3, 0},
                                              {kB, 3, 0}}));
  EXPECT_EQ(order[2], one_forward_one_backward(3, 4)[2]);
}

TEST(EarlyRecomputation, TakesTheRecomputationsOffTheWayBack) {
  for (const auto& [stages, microbatches] : kSizes) {
    const Order order = early_recomputation(stages, microbatches);
    const auto dag = build_dag(order);
    ASSERT_TRUE(dag);
    // A backward without a recomputation of its own recomputes within itself.
    std::vector<Seconds> durations;
    for (const auto& node : dag->nodes) {
      const auto& stage = order[static_cast<std::size_t>(node.stage)];
      const Operation recompute{kR, node.operation.microbatch, 0};
      const bool early = std::find(stage.begin(), stage.end(), recompute) != stage.end();
      durations.push_back(Seconds(node.operation.kind == kB ? (early ? 2 : 3) : 1));
    }
    EXPECT_DOUBLE_EQ(earliest_times(*dag, durations).makespan.si(), 4 * (microbatches + stages - 1) - (stages - 1))
        << stages << " stages, " << microbatches << " microbatches";
  }
}

TEST(MakeOrder, KnowsEverySchedule) {
  EXPECT_EQ(make_order("1f1b", 4, 8, 1).value(), one_forward_one_backward(4, 8));
  EXPECT_EQ(make_order("gpipe", 4, 8, 1).value(), gpipe(4, 8));
  EXPECT_EQ(make_order("interleaved", 4, 8, 3).value(), interleaved(4, 8, 3).value());
  EXPECT_EQ(make_order("zb-h1", 4, 8, 1).value(), zero_bubble_h1(4, 8));
  EXPECT_EQ(make_order("early-recompute", 4, 8, 1).value(), early_recomputation(4, 8));
}

TEST(MakeOrder, NamesTheSchedulesForAnUnknownOne) {
  const auto order = make_order("1f1", 4, 8, 1);
  ASSERT_FALSE(order);
  EXPECT_THAT(order.error().to_string(), HasSubstr("1f1b, gpipe, interleaved, zb-h1 and early-recompute"));
  EXPECT_THAT(order.error().to_string(), HasSubstr("did you mean '1f1b'"));
}

TEST(MakeOrder, ReportsAllParametersAtOnce) {
  const auto order = make_order("none", 0, -1, 0);
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().problems.size(), 4U);
  EXPECT_FALSE(make_order("gpipe", 2, 2, 2));
  EXPECT_FALSE(make_order("interleaved", 2, 3, 2));
}

TEST(MakeOrder, RefusesSizesBeyondMemory) {
  const int most = std::numeric_limits<int>::max();
  const auto order = make_order("interleaved", most, most, most);
  ASSERT_FALSE(order);
  EXPECT_THAT(order.error().to_string(), HasSubstr("operations"));
  EXPECT_FALSE(make_order("zb-h1", 1000, 1000000, 1));
}

}  // namespace
}  // namespace kareus::pipeline
