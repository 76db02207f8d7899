#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/pipeline/order_support.hpp"

namespace kareus::pipeline {
namespace {

using testing::HasSubstr;

std::vector<std::uint32_t> predecessors_of(const Dag& dag, std::uint32_t node) {
  std::vector<std::uint32_t> result;
  for (const auto& predecessor : dag.predecessors[node]) result.push_back(predecessor.node);
  return result;
}

std::string error_of(const Order& order) {
  const auto dag = build_dag(order);
  if (dag) return "no error";
  EXPECT_EQ(dag.error().code, ErrorCode::bad_input);
  return dag.error().to_string();
}

TEST(BuildDag, KnowsWhatWaitsForWhat) {
  const auto dag = build_dag(one_forward_one_backward(2, 1));
  ASSERT_TRUE(dag);
  ASSERT_EQ(dag->size(), 4U);
  const auto f0 = dag->node_at[0][0];
  const auto b0 = dag->node_at[0][1];
  const auto f1 = dag->node_at[1][0];
  const auto b1 = dag->node_at[1][1];
  EXPECT_TRUE(dag->predecessors[f0].empty());
  EXPECT_EQ(predecessors_of(*dag, f1), (std::vector<std::uint32_t>{f0}));
  EXPECT_EQ(predecessors_of(*dag, b1), (std::vector<std::uint32_t>{f1}));
  EXPECT_EQ(predecessors_of(*dag, b0), (std::vector<std::uint32_t>{f0, b1}));
}

TEST(BuildDag, ChunksFollowEachOtherAroundTheStages) {
  const auto dag = build_dag(*interleaved(2, 2, 2));
  ASSERT_TRUE(dag);
  const auto find = [&](std::size_t stage, const Operation& operation) {
    for (const auto node : dag->node_at[stage]) {
      if (dag->nodes[node].operation == operation) return node;
    }
    return std::numeric_limits<std::uint32_t>::max();
  };
  EXPECT_THAT(predecessors_of(*dag, find(0, {kF, 0, 1})), testing::Contains(find(1, {kF, 0, 0})));
  EXPECT_THAT(predecessors_of(*dag, find(1, {kB, 0, 0})), testing::Contains(find(0, {kB, 0, 1})));
  EXPECT_THAT(predecessors_of(*dag, find(0, {kB, 0, 1})), testing::Contains(find(1, {kB, 0, 1})));
}

TEST(BuildDag, OnlyTheInputGradientIsWaitedFor) {
  // Stage 0 runs its backward whole, stage 1 in halves.
  const Order order{{{kF, 0, 0}, {kB, 0, 0}}, {{kF, 0, 0}, {kI, 0, 0}, {kW, 0, 0}}};
  const auto dag = build_dag(order);
  ASSERT_TRUE(dag);
  EXPECT_EQ(predecessors_of(*dag, dag->node_at[0][1]),
            (std::vector<std::uint32_t>{dag->node_at[0][0], dag->node_at[1][1]}));
  EXPECT_DOUBLE_EQ(makespan(*dag, {.weight_gradient = 1.5}), 5);
}

TEST(BuildDag, RecomputationWaitsForTheOwnStageOnly) {
  const Order order{{{kF, 0, 0}, {kR, 0, 0}, {kB, 0, 0}}, {{kF, 0, 0}, {kB, 0, 0}}};
  const auto dag = build_dag(order);
  ASSERT_TRUE(dag);
  EXPECT_DOUBLE_EQ(makespan(*dag, {.recompute = 3}), 6);  // while stage 1 works
  EXPECT_DOUBLE_EQ(makespan(*dag, {.recompute = 4}), 7);
}

TEST(BuildDag, NumbersNodesTopologically) {
  const auto dag = build_dag(one_forward_one_backward(5, 9));
  ASSERT_TRUE(dag);
  EXPECT_EQ(dag->size(), 90U);
  EXPECT_EQ(dag->stages, 5);
  for (std::uint32_t node = 0; node < dag->size(); ++node) {
    for (const auto& predecessor : dag->predecessors[node]) EXPECT_LT(predecessor.node, node);
    const Dag::Node& at = dag->nodes[node];
    EXPECT_EQ(at.pipeline, 0);
    EXPECT_EQ(dag->node_at[static_cast<std::size_t>(at.stage)][static_cast<std::size_t>(at.position)], node);
  }
}

TEST(BuildDag, TransfersLieBetweenStagesOnly) {
  for (const double transfer : {0.0, 0.25, 4.0}) {
    const auto dag = build_dag(one_forward_one_backward(4, 1), {.transfer = Seconds(transfer)});
    ASSERT_TRUE(dag);
    EXPECT_DOUBLE_EQ(makespan(*dag), 4 * 3 + 6 * transfer);
    const auto alone = build_dag(*interleaved(1, 3, 2), {.transfer = Seconds(transfer)});
    ASSERT_TRUE(alone);
    EXPECT_DOUBLE_EQ(makespan(*alone), 3 * 2 * 3);
  }
}

TEST(BuildDag, GradientsAreReducedAfterTheLastOperationOfEachStage) {
  const auto dag =
      build_dag(zero_bubble_h1(3, 4), {.gradient_reduction = Seconds(0.5), .optimizer_step = Seconds(0.25)});
  ASSERT_TRUE(dag);
  const double without = makespan(*build_dag(zero_bubble_h1(3, 4)));
  EXPECT_DOUBLE_EQ(makespan(*dag), without + 0.75);
  for (std::uint32_t node = 0; node < dag->size(); ++node) {
    const Dag::Node& at = dag->nodes[node];
    const bool last = node == dag->node_at[static_cast<std::size_t>(at.stage)].back();
    EXPECT_EQ(dag->tail[node], Seconds(last ? 0.75 : 0.0));
  }
}

TEST(BuildDag, RefusesFixedTimesThatAreNone) {
  const Order order = gpipe(1, 1);
  EXPECT_FALSE(build_dag(order, {.transfer = Seconds(-1)}));
  const auto dag = build_dag(order, {.transfer = Seconds(std::numeric_limits<double>::infinity()),
                                     .gradient_reduction = Seconds(std::numeric_limits<double>::quiet_NaN()),
                                     .optimizer_step = Seconds(-1e-9)});
  ASSERT_FALSE(dag);
  EXPECT_EQ(dag.error().problems.size(), 3U);
}

TEST(BuildDag, RefusesAnOrderWithoutInstructions) {
  EXPECT_THAT(error_of({}), HasSubstr("no instructions"));
  EXPECT_THAT(error_of(Order(3)), HasSubstr("no instructions"));
  EXPECT_THAT(error_of({{{kF, 0, 0}, {kB, 0, 0}}, {}}),
              HasSubstr("stage 1: misses the forward and the backward of microbatch 0"));
}

TEST(BuildDag, NamesMissingInstructions) {
  Order order = one_forward_one_backward(2, 3);
  order[1].pop_back();
  EXPECT_THAT(error_of(order), HasSubstr("stage 1: misses the backward of microbatch 2"));
  order = gpipe(2, 9);
  order[0].erase(order[0].begin() + 2, order[0].begin() + 5);
  EXPECT_THAT(error_of(order), HasSubstr("stage 0: misses the forward of microbatches 2 to 4"));
  order = *interleaved(2, 2, 2);
  std::erase(order[0], Operation{kF, 1, 1});
  EXPECT_THAT(error_of(order), HasSubstr("stage 0: misses the forward of microbatch 1 on chunk 1"));
}

TEST(BuildDag, NamesTheMissingHalfOfABackward) {
  EXPECT_THAT(error_of({{{kF, 0, 0}, {kI, 0, 0}}}), HasSubstr("misses the weight gradient of microbatch 0"));
  EXPECT_THAT(error_of({{{kF, 0, 0}, {kW, 0, 0}}}), HasSubstr("misses the input gradient of microbatch 0"));
  EXPECT_THAT(error_of({{{kR, 0, 0}, {kB, 0, 0}}}), HasSubstr("misses the forward of microbatch 0"));
}

TEST(BuildDag, RefusesABackwardThatIsBothWholeAndSplit) {
  EXPECT_THAT(error_of({{{kF, 0, 0}, {kB, 0, 0}, {kI, 0, 0}, {kW, 0, 0}}}),
              HasSubstr("runs the backward of microbatch 0 whole and also the input gradient"));
  // Different microbatches may differ.
  EXPECT_TRUE(build_dag({{{kF, 0, 0}, {kB, 0, 0}, {kF, 1, 0}, {kI, 1, 0}, {kW, 1, 0}}}));
}

TEST(BuildDag, NamesARepeatedInstruction) {
  Order order = one_forward_one_backward(2, 3);
  order[0].push_back({kF, 1, 0});
  EXPECT_THAT(error_of(order),
              HasSubstr("stage 0, instruction 6: repeats the forward of microbatch 1 of instruction 1"));
}

TEST(BuildDag, ReportsAllStagesAtOnce) {
  Order order = one_forward_one_backward(3, 3);
  order[0].pop_back();
  order[1].push_back({kB, 0, 0});
  order[2][0].microbatch = -1;
  const auto dag = build_dag(order);
  ASSERT_FALSE(dag);
  ASSERT_EQ(dag.error().problems.size(), 4U);
  EXPECT_EQ(dag.error().problems[0].where, "stage 0");
  EXPECT_EQ(dag.error().problems[1].where, "stage 1, instruction 6");
  EXPECT_EQ(dag.error().problems[2].what, "negative microbatch");
  EXPECT_EQ(dag.error().problems[3].what, "misses the forward of microbatch 0");
}

TEST(BuildDag, CountsProblemsBeyondTheFirstFew) {
  Order order = gpipe(1, 1000);
  std::erase_if(order[0], [](const Operation& o) { return o.kind == kB && o.microbatch % 2 == 0; });
  EXPECT_THAT(error_of(order), HasSubstr("stage 0: 490 more problems like these"));
}

TEST(BuildDag, NamesTheInstructionThatWaitsForALaterOneOfItsStage) {
  Order order = one_forward_one_backward(3, 2);
  std::swap(order[2][0], order[2][1]);  // its backward before its own forward
  EXPECT_EQ(error_of(order),
            "stage 2, instruction 0: the backward of microbatch 0 can never run: it waits for the forward of "
            "microbatch 0, which comes after it (instruction 1) (the orders of the stages deadlock; 2 more stages "
            "cannot go on either)");
  EXPECT_THAT(error_of({{{kF, 0, 0}, {kB, 0, 0}, {kR, 0, 0}}}),
              HasSubstr("the backward of microbatch 0 can never run: it waits for the recomputation of microbatch 0"));
  EXPECT_THAT(error_of({{{kR, 0, 0}, {kF, 0, 0}, {kB, 0, 0}}}),
              HasSubstr("the recomputation of microbatch 0 can never"));
  EXPECT_THAT(error_of({{{kF, 0, 0}, {kW, 0, 0}, {kI, 0, 0}}}),
              HasSubstr("it waits for the input gradient of microbatch 0"));
}

TEST(BuildDag, NamesAllStagesThatWaitForEachOther) {
  const Order order{{{kF, 0, 0}, {kB, 0, 0}, {kF, 1, 0}, {kB, 1, 0}}, {{kF, 0, 0}, {kF, 1, 0}, {kB, 0, 0}, {kB, 1, 0}}};
  const auto dag = build_dag(order);
  ASSERT_FALSE(dag);
  ASSERT_EQ(dag.error().problems.size(), 2U);
  EXPECT_EQ(dag.error().problems[0].where, "stage 0, instruction 1");
  EXPECT_EQ(dag.error().problems[0].what,
            "the backward of microbatch 0 can never run: it waits for the backward of microbatch 0 on stage 1 "
            "(instruction 2)");
  EXPECT_EQ(dag.error().problems[1].what,
            "the forward of microbatch 1 can never run: it waits for the forward of microbatch 1 on stage 0 "
            "(instruction 2)");
}

TEST(BuildDag, NumbersThatAreNoIndexCostNothing) {
  constexpr int kMost = std::numeric_limits<int>::max();
  EXPECT_THAT(error_of({{{kF, -1, 0}, {kB, -1, 0}}}), HasSubstr("negative microbatch"));
  EXPECT_THAT(error_of({{{kF, 0, -1}, {kB, 0, 0}}}), HasSubstr("negative chunk"));
  EXPECT_THAT(error_of({{{kF, kMost, 0}, {kB, kMost, 0}}}),
              HasSubstr("misses the forward and the backward of microbatches 0 to 2147483646"));
  EXPECT_THAT(error_of({{{kF, 0, kMost}, {kB, kMost, 0}}}), HasSubstr("on chunk 2147483647"));
}

TEST(BuildDag, TakesHalfAMillionOperations) {
  const auto dag = build_dag(one_forward_one_backward(64, 4096));
  ASSERT_TRUE(dag);
  EXPECT_EQ(dag->size(), 524288U);
  EXPECT_DOUBLE_EQ(makespan(*dag), (4096 + 63) * 3);
}

}  // namespace
}  // namespace kareus::pipeline
