// The catalogue of partition types that the published system uses (Kareus, section 4 and appendix C), which the
// detector must find by itself from the operators of a layer.

#include <gmock/gmock.h>

#include <map>

#include "../../unit/workload/fixtures.hpp"

namespace kareus::workload {
namespace {

struct Expected {
  const char* name;
  const char* compute;  ///< launch slots between bars
  OperatorKind communication;
  Group group;
  const char* searched;
  double count_per_layer;
};

constexpr OperatorKind kReduce = OperatorKind::all_reduce;
constexpr OperatorKind kGather = OperatorKind::all_gather;
constexpr OperatorKind kScatter = OperatorKind::reduce_scatter;

constexpr const char* kForwardMlp = "self_attn_bda pre_mlp_norm | fc1 | activation | fc2";
constexpr const char* kBackwardMlp = "input_norm mlp_bda | fc2 | activation | fc1";
constexpr const char* kForwardQkv = "mlp_bda input_norm | linear_qkv | qkv_postprocess rotary";
constexpr const char* kForwardAttentionOut = "core_attention | linear_proj";
constexpr const char* kBackwardOut = "pre_mlp_norm self_attn_bda | linear_proj";
constexpr const char* kBackwardQkv = "rotary qkv_postprocess | linear_qkv";

const std::vector<Expected> kTensorOnly = {
    {"fwd_attn", "mlp_bda input_norm | linear_qkv | qkv_postprocess rotary | core_attention | linear_proj", kReduce,
     Group::tensor, "norm_0 linear_0 rope_0 attn_0", 2},
    {"fwd_mlp", kForwardMlp, kReduce, Group::tensor, "norm_0 linear_0 activation_0", 2},
    {"bwd_mlp", kBackwardMlp, kReduce, Group::tensor, "norm_0 linear_0 activation_0", 2},
    {"bwd_attn", "pre_mlp_norm self_attn_bda | linear_proj | core_attention | rotary qkv_postprocess | linear_qkv",
     kReduce, Group::tensor, "norm_0 linear_0 attn_0 rope_0", 2},
};

const std::vector<Expected> kTensorAndContext = {
    {"fwd_qkv_ar", kForwardQkv, kReduce, Group::tensor, "norm_0 linear_0", 1},
    {"fwd_qkv_ag", kForwardQkv, kGather, Group::context, "norm_0 linear_0 rope_0", 1},
    {"fwd_ao_ag", kForwardAttentionOut, kGather, Group::context, "attn_0 linear_0", 1},
    {"fwd_ao_ar", kForwardAttentionOut, kReduce, Group::tensor, "attn_0", 1},
    {"fwd_mlp", kForwardMlp, kReduce, Group::tensor, "norm_0 linear_0 activation_0", 2},
    {"bwd_mlp", kBackwardMlp, kReduce, Group::tensor, "norm_0 linear_0 activation_0", 2},
    {"bwd_o_ar", kBackwardOut, kReduce, Group::tensor, "norm_0", 1},
    {"bwd_o_ag", kBackwardOut, kGather, Group::context, "norm_0 linear_0", 1},
    {"bwd_a_ag", "core_attention", kGather, Group::context, "attn_0", 1},
    {"bwd_a_rs", "core_attention", kScatter, Group::context, "attn_0", 1},
    {"bwd_qkv_rs", kBackwardQkv, kScatter, Group::context, "rope_0 linear_0", 1},
    {"bwd_qkv_ar", kBackwardQkv, kReduce, Group::tensor, "rope_0 linear_0", 1},
};

std::string compute_text(const PartitionType& type) {
  std::string text;
  std::size_t slot = 0;
  for (std::size_t i = 0; i < type.compute.size(); ++i) {
    if (slot < type.slots.size() && type.slots[slot].first_operator == i) {
      text += slot++ == 0 ? "" : " |";
    }
    text += (text.empty() ? "" : " ") + type.compute[i].name;
  }
  return text;
}

std::string searched_text(const PartitionType& type) {
  std::string text;
  for (const std::size_t slot : type.searched_slots) text += (text.empty() ? "" : " ") + type.slots.at(slot).name;
  return text;
}

class Catalogue : public testing::TestWithParam<std::string> {};

TEST_P(Catalogue, IsFoundByTheDetector) {
  const Workload workload = shipped_workload(GetParam());
  const auto& expected = workload.parallelism.context > 1 ? kTensorAndContext : kTensorOnly;
  const WorkloadParts parts = decompose(workload, kA100);
  ASSERT_EQ(parts.types.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const PartitionType& type = parts.types[i];
    SCOPED_TRACE(expected[i].name);
    EXPECT_EQ(type.name, expected[i].name);
    EXPECT_EQ(to_string(type.direction).substr(0, 1), std::string(1, expected[i].name[0]));
    EXPECT_EQ(compute_text(type), expected[i].compute);
    ASSERT_TRUE(type.communication);
    EXPECT_EQ(type.communication->kind, expected[i].communication);
    EXPECT_EQ(type.communication->group, expected[i].group);
    EXPECT_EQ(type.communication->ranks,
              expected[i].group == Group::tensor ? workload.parallelism.tensor : workload.parallelism.context);
    EXPECT_EQ(searched_text(type), expected[i].searched);
    EXPECT_EQ(type.count_per_layer, expected[i].count_per_layer);
  }
}

TEST_P(Catalogue, MovesKeysAndValuesTogether) {
  const Workload workload = shipped_workload(GetParam());
  const double nanobatch_tokens = workload.microbatch_size / 2.0 * workload.sequence_length;
  const double key_heads = static_cast<double>(workload.model.kv_heads) / workload.parallelism.tensor;
  for (const PartitionType& type : decompose(workload, kA100).types) {
    const double bytes =
        type.communication->group == Group::context
            ? 2 * nanobatch_tokens * key_heads * 128 * 2
            : nanobatch_tokens / workload.parallelism.context * static_cast<double>(workload.model.hidden) * 2;
    EXPECT_EQ(type.communication->message.si(), bytes) << type.name;
  }
}

TEST_P(Catalogue, CoversALayerOfBothNanobatches) {
  const Workload workload = shipped_workload(GetParam());
  const WorkloadParts parts = decompose(workload, kA100);
  const double samples = workload.microbatch_size / 2.0;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto layer = layer_operators(workload, direction, samples);
    double work = 0;
    double traffic = 0;
    double messages = 0;
    for (const PartitionType& type : parts.types) {
      if (type.direction != direction) continue;
      work += type.count_per_layer * total_work(type.compute).si();
      traffic += type.count_per_layer * total_traffic(type.compute).si();
      messages += type.count_per_layer * type.communication->message.si();
    }
    EXPECT_NEAR(work / (2 * total_work(layer).si()), 1, 1e-12);
    EXPECT_NEAR(traffic / (2 * total_traffic(layer).si()), 1, 1e-12);
    EXPECT_NEAR(messages / (2 * total_messages(layer).si()), 1, 1e-12);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& workload) {
  std::string name = workload.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, Catalogue, testing::ValuesIn(shipped_workload_names()), test_name);

/// Measurements are filed under these: a change of one makes every stored measurement of the workload unreachable.
TEST(WorkloadHash, StaysWhatItWas) {
  const std::map<std::string, std::string> hashes = {
      {"llama3.2-3b-tp8-mbs8-seq4096", "0088e108b98fb6ef"},
      {"qwen3-1.7b-cp2tp4-mbs16-seq4096", "9c6363169d5eecf0"},
      {"llama3.3-70b-pp10-tp8-mb16", "8620e7b537544201"},
  };
  for (const auto& [name, hash] : hashes) EXPECT_EQ(shipped_workload(name).hash(), hash) << name;
}

}  // namespace
}  // namespace kareus::workload
