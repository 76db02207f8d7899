#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {
namespace {

using schedule::Instruction;
using testing::HasSubstr;

constexpr auto kF = schedule::InstructionKind::forward;
constexpr auto kB = schedule::InstructionKind::backward;

TEST(OneForwardOneBackward, TwoStages) {
  const Order order = one_forward_one_backward(2, 3);
  EXPECT_EQ(order[0], (std::vector<Instruction>{{kF, 0}, {kF, 1}, {kB, 0}, {kF, 2}, {kB, 1}, {kB, 2}}));
  EXPECT_EQ(order[1], (std::vector<Instruction>{{kF, 0}, {kB, 0}, {kF, 1}, {kB, 1}, {kF, 2}, {kB, 2}}));
}

TEST(OneForwardOneBackward, FewerMicrobatchesThanStages) {
  const Order order = one_forward_one_backward(4, 2);
  EXPECT_EQ(order[0], (std::vector<Instruction>{{kF, 0}, {kF, 1}, {kB, 0}, {kB, 1}}));
  EXPECT_EQ(order[3], (std::vector<Instruction>{{kF, 0}, {kB, 0}, {kF, 1}, {kB, 1}}));
  EXPECT_TRUE(build_dag(order));
}

TEST(OneForwardOneBackward, TakesTheTextbookTime) {
  // With equal stages: (microbatches + stages - 1) * (forward + backward).
  const auto dag = build_dag(one_forward_one_backward(4, 8));
  ASSERT_TRUE(dag);
  std::vector<Seconds> durations;
  for (const auto& node : dag->nodes) durations.push_back(Seconds(node.instruction.kind == kF ? 1 : 2));
  EXPECT_DOUBLE_EQ(earliest_times(*dag, durations).makespan.si(), (8 + 3) * 3);
}

TEST(BuildDag, KnowsWhatWaitsForWhat) {
  const auto dag = build_dag(one_forward_one_backward(2, 1));
  ASSERT_TRUE(dag);
  ASSERT_EQ(dag->nodes.size(), 4U);
  const auto f0 = dag->node_at[0][0];
  const auto b0 = dag->node_at[0][1];
  const auto f1 = dag->node_at[1][0];
  const auto b1 = dag->node_at[1][1];
  EXPECT_TRUE(dag->predecessors[f0].empty());
  EXPECT_EQ(dag->predecessors[f1], (std::vector<std::uint32_t>{f0}));
  EXPECT_EQ(dag->predecessors[b1], (std::vector<std::uint32_t>{f1}));
  EXPECT_EQ(dag->predecessors[b0], (std::vector<std::uint32_t>{f0, b1}));
}

TEST(BuildDag, NumbersNodesTopologically) {
  const auto dag = build_dag(one_forward_one_backward(5, 9));
  ASSERT_TRUE(dag);
  EXPECT_EQ(dag->nodes.size(), 90U);
  for (std::uint32_t node = 0; node < dag->nodes.size(); ++node) {
    for (const std::uint32_t predecessor : dag->predecessors[node]) EXPECT_LT(predecessor, node);
    const auto& [stage, position, instruction] = dag->nodes[node];
    EXPECT_EQ(dag->node_at[static_cast<std::size_t>(stage)][static_cast<std::size_t>(position)], node);
  }
}

TEST(BuildDag, RefusesAnOrderWithoutInstructions) {
  EXPECT_FALSE(build_dag({}));
  EXPECT_FALSE(build_dag(Order(3)));
}

TEST(BuildDag, NamesAMissingInstruction) {
  Order order = one_forward_one_backward(2, 3);
  order[1].pop_back();
  const auto dag = build_dag(order);
  ASSERT_FALSE(dag);
  EXPECT_EQ(dag.error().code, ErrorCode::bad_input);
  EXPECT_THAT(dag.error().to_string(), HasSubstr("stage 1: misses the backward of microbatch 2"));
}

TEST(BuildDag, NamesARepeatedInstruction) {
  Order order = one_forward_one_backward(2, 3);
  order[0].push_back({kF, 1});
  const auto dag = build_dag(order);
  ASSERT_FALSE(dag);
  EXPECT_THAT(dag.error().to_string(), HasSubstr("stage 0, instruction 6: repeats the forward of microbatch 1"));
}

TEST(BuildDag, NamesTheFirstInstructionThatCannotRun) {
  Order order = one_forward_one_backward(2, 2);
  std::swap(order[1][0], order[1][1]);  // its backward before its own forward
  const auto dag = build_dag(order);
  ASSERT_FALSE(dag);
  EXPECT_THAT(dag.error().to_string(), HasSubstr("stage 0, instruction 2: the backward of microbatch 0 can never run"));
}

TEST(BuildDag, FindsDeadlockBetweenStages) {
  const Order order{{{kF, 0}, {kB, 0}, {kF, 1}, {kB, 1}}, {{kF, 0}, {kF, 1}, {kB, 0}, {kB, 1}}};
  const auto dag = build_dag(order);
  ASSERT_FALSE(dag);
  EXPECT_THAT(dag.error().to_string(), HasSubstr("waits for the backward of microbatch 0 on stage 1"));
}

TEST(BuildDag, RefusesMicrobatchNumbersThatAreNoIndex) {
  EXPECT_FALSE(build_dag({{{kF, -1}, {kB, -1}}}));
  EXPECT_FALSE(build_dag({{{kF, 2147483647}, {kB, 2147483647}}}));
}

}  // namespace
}  // namespace kareus::pipeline
