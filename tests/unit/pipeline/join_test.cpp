#include <gtest/gtest.h>

#include <array>

#include "unit/pipeline/order_support.hpp"

namespace kareus::pipeline {
namespace {

Dag built(const Order& order, const FixedTimes& fixed = {}) {
  auto dag = build_dag(order, fixed);
  EXPECT_TRUE(dag);
  return std::move(*dag);
}

TEST(JoinPipelines, EndsWithTheSlowest) {
  const std::array<Dag, 3> pipelines{built(one_forward_one_backward(2, 3)), built(gpipe(4, 7)),
                                     built(zero_bubble_h1(3, 3))};
  const Dag group = join_pipelines(pipelines);
  EXPECT_EQ(group.stages, 9);
  EXPECT_EQ(group.size(), pipelines[0].size() + pipelines[1].size() + pipelines[2].size());
  EXPECT_DOUBLE_EQ(makespan(group), makespan(pipelines[1]));
}

TEST(JoinPipelines, KeepsEveryPipelineAsItWas) {
  const FixedTimes fixed{.transfer = Seconds(0.5), .gradient_reduction = Seconds(1), .optimizer_step = Seconds(2)};
  const std::array<Dag, 2> pipelines{built(gpipe(2, 3), fixed), built(one_forward_one_backward(3, 2), fixed)};
  const Dag group = join_pipelines(pipelines);
  std::size_t node = 0;
  std::size_t first_stage = 0;
  for (int pipeline = 0; pipeline < 2; ++pipeline) {
    const Dag& own = pipelines[static_cast<std::size_t>(pipeline)];
    const auto first = static_cast<std::uint32_t>(node);
    for (std::size_t i = 0; i < own.size(); ++i, ++node) {
      EXPECT_EQ(group.nodes[node].pipeline, pipeline);
      EXPECT_EQ(group.nodes[node].stage, own.nodes[i].stage);
      EXPECT_EQ(group.nodes[node].operation, own.nodes[i].operation);
      EXPECT_EQ(group.tail[node], own.tail[i]);
      ASSERT_EQ(group.predecessors[node].size(), own.predecessors[i].size());
      for (std::size_t k = 0; k < own.predecessors[i].size(); ++k) {
        EXPECT_EQ(group.predecessors[node][k].node, first + own.predecessors[i][k].node);
        EXPECT_EQ(group.predecessors[node][k].lag, own.predecessors[i][k].lag);
      }
      const auto stage = first_stage + static_cast<std::size_t>(own.nodes[i].stage);
      EXPECT_EQ(group.node_at[stage][static_cast<std::size_t>(own.nodes[i].position)], node);
    }
    first_stage += own.node_at.size();
  }
}

TEST(JoinPipelines, JoinsGroups) {
  const std::array<Dag, 2> two{built(gpipe(1, 1)), built(gpipe(1, 2))};
  const std::array<Dag, 2> groups{join_pipelines(two), join_pipelines(two)};
  const Dag all = join_pipelines(groups);
  EXPECT_EQ(all.nodes.back().pipeline, 3);
  EXPECT_EQ(all.stages, 4);
}

TEST(JoinPipelines, OfNothingIsNothing) {
  EXPECT_EQ(join_pipelines({}).size(), 0U);
}

TEST(EarliestTimes, RefusesDurationsOfAnotherPipeline) {
  const Dag dag = built(gpipe(1, 2));
  const std::vector<Seconds> durations(3, Seconds(1));
  EXPECT_THROW(earliest_times(dag, durations), std::logic_error);
}

}  // namespace
}  // namespace kareus::pipeline
