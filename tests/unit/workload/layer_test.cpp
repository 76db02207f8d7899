#include <gmock/gmock.h>

#include "fixtures.hpp"

namespace kareus::workload {
namespace {

using ::testing::ElementsAre;

constexpr double kSamples = 2;
constexpr double kTokens = 2 * 4096;

TEST(LayerOperators, ForwardOrderWithTensorAndContextParallelism) {
  EXPECT_THAT(names(layer_operators(small_workload(4, 2), Direction::forward, kSamples)),
              ElementsAre("input_norm", "linear_qkv", "qkv_postprocess", "rotary", "all_gather_k", "all_gather_v",
                          "core_attention", "linear_proj", "all_reduce", "self_attn_bda", "pre_mlp_norm", "fc1",
                          "activation", "fc2", "all_reduce", "mlp_bda"));
}

TEST(LayerOperators, BackwardOrderWithTensorAndContextParallelism) {
  EXPECT_THAT(names(layer_operators(small_workload(4, 2), Direction::backward, kSamples)),
              ElementsAre("mlp_bda", "fc2", "activation", "fc1", "all_reduce", "pre_mlp_norm", "self_attn_bda",
                          "linear_proj", "all_gather_k", "all_gather_v", "core_attention", "reduce_scatter_dk",
                          "reduce_scatter_dv", "rotary", "qkv_postprocess", "linear_qkv", "all_reduce", "input_norm"));
}

TEST(LayerOperators, NobodyToTalkToMeansNoCommunication) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const Operator& op : layer_operators(small_workload(1, 1), direction, kSamples)) {
      EXPECT_FALSE(is_communication(op.kind)) << op.name;
    }
    for (const Operator& op : layer_operators(small_workload(2, 1), direction, kSamples)) {
      EXPECT_NE(op.group, Group::context) << op.name;
    }
    for (const Operator& op : layer_operators(small_workload(1, 2), direction, kSamples)) {
      EXPECT_NE(op.group, Group::tensor) << op.name;
    }
  }
}

/// Two operations per weight and token forward, four backward; a layer of Llama 3.2 3B has 100.7 million weights.
TEST(LayerOperators, LinearWorkIsSixTimesWeightsTimesTokens) {
  const double weights = 3072.0 * (24 + 8 + 8) * 128 + 24 * 128 * 3072.0 + 3.0 * 3072 * 8192;
  EXPECT_EQ(weights, 100663296);
  double work = 0;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const Operator& op : layer_operators(small_workload(1, 1), direction, kSamples)) {
      if (op.kind != OperatorKind::linear) continue;
      work += op.work.si();
      double of_products = 0;
      for (const MatrixShape& product : op.products) {
        of_products +=
            2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
      }
      EXPECT_EQ(of_products, op.work.si()) << op.name;
      EXPECT_EQ(op.products.size(), direction == Direction::forward ? 1U : 2U);
    }
  }
  EXPECT_DOUBLE_EQ(work, 6 * weights * kTokens);
}

/// Scores and weighted values: 4 s^2 h operations a sequence, half of them behind the causal mask.
TEST(LayerOperators, AttentionWorkIsCausal) {
  const double expected = kSamples * 4.0 * 4096 * 4096 * (24 * 128) / 2;
  const auto forward = layer_operators(small_workload(1, 1), Direction::forward, kSamples);
  const auto backward = layer_operators(small_workload(1, 1), Direction::backward, kSamples);
  EXPECT_DOUBLE_EQ(find(forward, "core_attention").work.si(), expected);
  EXPECT_DOUBLE_EQ(find(backward, "core_attention").work.si(), 2.5 * expected);
}

/// Whatever the split, the ranks together do the work of one, in products and attention alike.
TEST(LayerOperators, MatrixWorkIsSharedEvenly) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto whole = layer_operators(small_workload(1, 1), direction, kSamples);
    for (const auto& [tensor, context] : {std::pair{8, 1}, std::pair{4, 2}, std::pair{1, 4}}) {
      const auto share = layer_operators(small_workload(tensor, context), direction, kSamples);
      for (const char* name : {"linear_qkv", "core_attention", "linear_proj", "fc1", "fc2", "activation", "rotary"}) {
        EXPECT_DOUBLE_EQ(find(share, name).work.si() * tensor * context, find(whole, name).work.si()) << name;
      }
      // Norms are repeated on every tensor rank.
      EXPECT_DOUBLE_EQ(find(share, "input_norm").traffic.si() * context, find(whole, "input_norm").traffic.si());
    }
  }
}

TEST(LayerOperators, MessagesAreWholeBuffers) {
  const auto tensor_only = layer_operators(small_workload(2, 1), Direction::forward, kSamples);
  const Operator& reduce = find(tensor_only, "all_reduce");
  EXPECT_EQ(reduce.message.si(), kTokens * 3072 * 2);
  EXPECT_EQ(reduce.ranks, 2);
  EXPECT_EQ(reduce.group, Group::tensor);

  const auto both = layer_operators(small_workload(4, 2), Direction::backward, kSamples);
  EXPECT_EQ(find(both, "all_reduce").message.si(), kTokens / 2 * 3072 * 2);
  // Two of the eight key heads on each tensor rank, all tokens of the sequence.
  EXPECT_EQ(find(both, "all_gather_k").message.si(), kTokens * 2 * 128 * 2);
  EXPECT_EQ(find(both, "reduce_scatter_dv").message.si(), kTokens * 2 * 128 * 2);
  EXPECT_EQ(find(both, "reduce_scatter_dv").ranks, 2);
  EXPECT_EQ(find(both, "reduce_scatter_dv").group, Group::context);
}

TEST(LayerOperators, ShapesOfAnA100Share) {
  const auto forward = layer_operators(small_workload(8, 1), Direction::forward, kSamples);
  const MatrixShape& fc1 = find(forward, "fc1").products.at(0);
  EXPECT_EQ(fc1.m, 8192);
  EXPECT_EQ(fc1.n, 2 * 8192 / 8);
  EXPECT_EQ(fc1.k, 3072);
  const auto backward = layer_operators(small_workload(8, 1), Direction::backward, kSamples);
  const auto& proj = find(backward, "linear_proj").products;
  ASSERT_EQ(proj.size(), 2U);
  EXPECT_EQ(proj[0].n, 3 * 128);  // gradient of the input
  EXPECT_EQ(proj[0].k, 3072);
  EXPECT_EQ(proj[1].m, 3072);  // gradient of the weight
  EXPECT_EQ(proj[1].n, 3 * 128);
  EXPECT_EQ(proj[1].k, 8192);
}

TEST(LayerOperators, MemoryTrafficPerElement) {
  const auto forward = layer_operators(small_workload(8, 1), Direction::forward, kSamples);
  EXPECT_EQ(find(forward, "input_norm").traffic.si(), kTokens * 3072 * 4);
  EXPECT_EQ(find(forward, "mlp_bda").traffic.si(), kTokens * 3072 * 7);
  EXPECT_EQ(find(forward, "activation").traffic.si(), kTokens * 8192 / 8 * 6);
}

TEST(LayerOperators, HeadNormsCostTrafficOnly) {
  Workload with = small_workload(8, 1);
  with.model.qk_norm = true;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto plain = layer_operators(small_workload(8, 1), direction, kSamples);
    const auto normed = layer_operators(with, direction, kSamples);
    ASSERT_EQ(names(plain), names(normed));
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (plain[i].name == "qkv_postprocess") {
        EXPECT_GT(normed[i].traffic.si(), plain[i].traffic.si());
      } else {
        EXPECT_EQ(normed[i].traffic.si(), plain[i].traffic.si()) << plain[i].name;
      }
    }
  }
}

}  // namespace
}  // namespace kareus::workload
