#include <gmock/gmock.h>

#include "fixtures.hpp"
#include "workload/naming.hpp"

namespace kareus::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> part_names(const std::vector<NonPartitionWork>& work) {
  std::vector<std::string> result;
  for (const NonPartitionWork& each : work) result.push_back(each.name);
  return result;
}

TEST(Decompose, RecomputesTheForwardUnderCheckpointing) {
  Workload workload = small_workload(8, 1);
  const WorkloadParts plain = decompose(workload, kA100);
  EXPECT_THAT(plain.backward.recomputed, IsEmpty());
  workload.activation_checkpointing = true;
  const WorkloadParts checkpointed = decompose(workload, kA100);
  EXPECT_EQ(checkpointed.backward.recomputed, checkpointed.forward.partitions);
  EXPECT_THAT(checkpointed.backward.partitions, ElementsAre("bwd_mlp", "bwd_attn"));

  const auto forward = names(checkpointed.forward.sequential_layer);
  auto expected = forward;
  const auto backward = names(plain.backward.sequential_layer);
  expected.insert(expected.end(), backward.begin(), backward.end());
  EXPECT_EQ(names(checkpointed.backward.sequential_layer), expected);
  EXPECT_EQ(checkpointed.backward.sequential_layer.front().direction, Direction::forward);
  EXPECT_EQ(checkpointed.backward.sequential_layer.back().direction, Direction::backward);
}

TEST(Decompose, IsSequentialOnlyWithoutPeersOrWithOneSample) {
  for (Workload workload : {small_workload(1, 1), small_workload(8, 1)}) {
    if (workload.parallelism.tensor > 1) workload.microbatch_size = 1;
    workload.activation_checkpointing = true;
    const WorkloadParts parts = decompose(workload, kA100);
    EXPECT_THAT(parts.types, IsEmpty());
    EXPECT_THAT(parts.forward.partitions, IsEmpty());
    EXPECT_THAT(parts.backward.recomputed, IsEmpty());
    EXPECT_FALSE(parts.forward.sequential_layer.empty());
    EXPECT_EQ(parts.stage_forward.size(), 2U);
  }
}

TEST(Decompose, NanobatchesTakeHalfOfAnOddMicrobatch) {
  Workload workload = small_workload(8, 1);
  workload.microbatch_size = 3;
  const WorkloadParts parts = decompose(workload, kA100);
  ASSERT_FALSE(parts.types.empty());
  EXPECT_EQ(parts.types[0].communication->message.si(), 1.5 * 4096 * 3072 * 2);
  EXPECT_EQ(find(parts.forward.sequential_layer, "all_reduce").message.si(), 3.0 * 4096 * 3072 * 2);
}

TEST(Decompose, ContextParallelismAloneStillPartitions) {
  const WorkloadParts parts = decompose(small_workload(1, 2), kA100);
  EXPECT_THAT(parts.forward.partitions, ElementsAre("fwd_attn_mlp"));
  EXPECT_EQ(parts.types[0].count_per_layer, 2);
  EXPECT_THAT(parts.backward.partitions, ElementsAre("bwd_qkv_o_mlp_rs", "bwd_qkv_o_mlp_ag", "bwd_a_ag", "bwd_a_rs"));
}

TEST(Decompose, OnlyTheEndsOfThePipelineHaveOtherWork) {
  Workload workload = small_workload(8, 1);
  workload.parallelism.pipeline = 3;
  const WorkloadParts parts = decompose(workload, kA100);
  ASSERT_EQ(parts.stage_forward.size(), 3U);
  ASSERT_EQ(parts.stage_backward.size(), 3U);
  EXPECT_THAT(part_names(parts.stage_forward[0]), ElementsAre("embedding"));
  EXPECT_THAT(part_names(parts.stage_forward[1]), IsEmpty());
  EXPECT_THAT(part_names(parts.stage_forward[2]), ElementsAre("lm_head", "loss"));
  EXPECT_THAT(part_names(parts.stage_backward[0]), ElementsAre("embedding"));
  EXPECT_THAT(part_names(parts.stage_backward[1]), IsEmpty());
  EXPECT_THAT(part_names(parts.stage_backward[2]), ElementsAre("loss", "lm_head"));

  workload.parallelism.pipeline = 1;
  const WorkloadParts alone = decompose(workload, kA100);
  EXPECT_THAT(part_names(alone.stage_forward[0]), ElementsAre("embedding", "lm_head", "loss"));
  EXPECT_THAT(part_names(alone.stage_backward[0]), ElementsAre("loss", "lm_head", "embedding"));
}

TEST(Decompose, TheOutputLayerIsSplitOverTheVocabulary) {
  const WorkloadParts parts = decompose(small_workload(8, 1), kA100);
  const double tokens = 4 * 4096;
  const auto& forward = parts.stage_forward[1];
  EXPECT_THAT(names(forward[0].operators), ElementsAre("final_norm", "lm_head"));
  const Operator& product = forward[0].operators[1];
  EXPECT_EQ(product.work.si(), 2 * tokens * 3072 * (128256 / 8));
  EXPECT_EQ(product.products.at(0).n, 128256 / 8);
  EXPECT_THAT(names(forward[1].operators), ElementsAre("loss", "all_reduce"));

  const auto& backward = parts.stage_backward[1];
  EXPECT_THAT(names(backward[0].operators), ElementsAre("loss"));
  EXPECT_THAT(names(backward[1].operators), ElementsAre("lm_head", "all_reduce", "final_norm"));
  EXPECT_EQ(backward[1].operators[0].work.si(), 2 * product.work.si());
  EXPECT_EQ(backward[1].operators[1].message.si(), tokens * 3072 * 2);

  EXPECT_THAT(names(parts.stage_forward[0][0].operators), ElementsAre("embedding", "all_reduce"));
  EXPECT_THAT(names(parts.stage_backward[0][0].operators), ElementsAre("embedding"));
}

TEST(SegmentName, SaysWhatASegmentHolds) {
  const auto named = [](std::vector<std::string> operators) {
    std::vector<Operator> compute(operators.size());
    for (std::size_t i = 0; i < operators.size(); ++i) compute[i].name = operators[i];
    return segment_name(compute);
  };
  EXPECT_EQ(named({"linear_qkv", "core_attention", "linear_proj"}), "attn");
  EXPECT_EQ(named({"core_attention", "linear_proj"}), "ao");
  EXPECT_EQ(named({"linear_proj"}), "o");
  EXPECT_EQ(named({"core_attention"}), "a");
  EXPECT_EQ(named({"linear_qkv", "rotary"}), "qkv");
  EXPECT_EQ(named({"fc1", "activation", "fc2"}), "mlp");
  EXPECT_EQ(named({"fc2"}), "fc2");
  EXPECT_EQ(named({"mlp_bda"}), "trail");
}

}  // namespace
}  // namespace kareus::workload
