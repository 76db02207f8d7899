// Published plan files (see tests/data/README.md) against what the same files say in other places: their costs, the
// planned iteration time, and the execution order of a two-stage pipeline with eight microbatches.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "base/files.hpp"
#include "schedule/published_plan.hpp"

namespace kareus::schedule {
namespace {

std::filesystem::path folder(const std::string& name) {
  return std::filesystem::path(KAREUS_TEST_DATA) / "published-plans" / name;
}

struct Golden {
  const char* folder;
  const char* number;
  bool schedules;
  double effective_energy_j;
  double total_energy_j;
  double time_s;  ///< as planned by the publisher
  int fastest_mhz;
};

class PublishedPlans : public ::testing::TestWithParam<Golden> {};

TEST_P(PublishedPlans, ImportWithTheirCostsClocksAndOrder) {
  const Golden& golden = GetParam();
  const auto file = [&](const char* kind) {
    return folder(golden.folder) / (std::string(kind) + "_pipeline_" + golden.number + ".py");
  };
  const auto plan =
      import_published_plan(file("freqs"), golden.schedules ? std::optional(file("scheds")) : std::nullopt);
  ASSERT_TRUE(plan) << plan.error().to_string();
  EXPECT_EQ(plan->iteration, std::stol(golden.number));
  EXPECT_EQ(plan->effective_energy_j, golden.effective_energy_j);
  EXPECT_EQ(plan->total_energy_j, golden.total_energy_j);
  // The two costs differ by the static energy of two stages at 85 W.
  EXPECT_NEAR((*plan->total_energy_j - *plan->effective_energy_j) / (2 * 85.0), golden.time_s, 1e-9);

  ASSERT_EQ(plan->stages.size(), 2U);
  int fastest = 0;
  for (std::size_t stage = 0; stage < 2; ++stage) {
    const auto& instructions = plan->stages[stage];
    ASSERT_EQ(instructions.size(), 16U);
    // 1F1B: stage 0 of 2 runs one forward ahead.
    EXPECT_EQ(instructions[1].kind, stage == 0 ? InstructionKind::forward : InstructionKind::backward);
    EXPECT_EQ(std::count_if(instructions.begin(), instructions.end(),
                            [](const auto& i) { return i.kind == InstructionKind::forward; }),
              8);
    for (const auto& instruction : instructions) {
      EXPECT_EQ(instruction.clock.mhz % 30, 0);
      EXPECT_GE(instruction.clock.mhz, 900);
      EXPECT_LE(instruction.clock.mhz, 1410);
      EXPECT_EQ(instruction.partitions.empty(), !golden.schedules);
      EXPECT_EQ(instruction.recomputed.empty(), !golden.schedules || instruction.kind == InstructionKind::forward);
      fastest = std::max(fastest, instruction.clock.mhz);
    }
  }
  EXPECT_EQ(fastest, golden.fastest_mhz);
}

INSTANTIATE_TEST_SUITE_P(
    Files, PublishedPlans,
    ::testing::Values(
        Golden{"slot-names", "00324", true, 1224.8441048803174, 2333.9241048803174, 6.524, 930},
        Golden{"slot-names", "01326", true, 1304.8892624741438, 2243.6292624741436, 5.522, 1110},
        Golden{"slot-names", "02495", true, 2020.8429700808636, 2760.8529700808635, 4.353, 1410},
        Golden{"legacy-context-parallel", "02851", true, 2129.4334940571343, 2922.9934940571343, 4.668, 1410},
        Golden{"legacy-context-parallel", "02901", true, 2216.2980101561834, 3001.3580101561834, 4.618, 1410},
        Golden{"clocks-only", "00122", false, 1192.416116588771, 2363.886116588771, 6.891, 1020},
        Golden{"clocks-only", "01900", false, 1945.0292962136812, 2814.239296213681, 5.113, 1410}),
    [](const auto& instance) {
      std::string name = std::string(instance.param.folder) + "_" + instance.param.number;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(PublishedPlans, ChosenSchedulesOfPlan324) {
  const auto plan = import_published_plan(folder("slot-names") / "freqs_pipeline_00324.py",
                                          folder("slot-names") / "scheds_pipeline_00324.py");
  ASSERT_TRUE(plan);
  using Configs = std::vector<std::pair<std::string, PartitionConfig>>;
  const auto& stage = plan->stages[0];
  EXPECT_EQ(stage[0].clock, Clock{930});
  EXPECT_EQ(stage[0].partitions,
            (Configs{{"fwd_attn", {SmCount{12}, "norm_0"}}, {"fwd_mlp", {SmCount{18}, "norm_0"}}}));
  EXPECT_EQ(stage[2].recomputed,
            (Configs{{"fwd_attn", {SmCount{21}, "attn_0"}}, {"fwd_mlp", {SmCount{15}, "norm_0"}}}));
  EXPECT_EQ(stage[2].partitions,
            (Configs{{"bwd_attn", {SmCount{30}, "rope_0"}}, {"bwd_mlp", {SmCount{15}, "activation_0"}}}));
}

TEST(PublishedPlans, LegacyContextParallelSchedulesWithoutTheirClocks) {
  const auto path = folder("legacy-context-parallel") / "scheds_pipeline_02803.py";
  const auto text = read_file(path);
  ASSERT_TRUE(text);
  const auto file = read_published_schedules({*text, path.string()});
  ASSERT_TRUE(file) << file.error().to_string();
  EXPECT_EQ(file->costs.iteration, 2803);
  using Configs = std::vector<std::pair<std::string, PartitionConfig>>;
  const auto& backward = file->stages[0][2];
  EXPECT_EQ(backward.recomputed, (Configs{{"fwd_qkv_ar", {SmCount{21}, "norm_0"}},
                                          {"fwd_qkv_ag", {SmCount{11}, "rope_0"}},
                                          {"fwd_ao_ag", {SmCount{15}, "attn_0"}},
                                          {"fwd_ao_ar", {SmCount{6}, "attn_0"}},
                                          {"fwd_mlp", {SmCount{18}, "norm_0"}}}));
  EXPECT_EQ(backward.partitions, (Configs{{"bwd_qkv_ar", {SmCount{27}, "rope_0"}},
                                          {"bwd_qkv_rs", {SmCount{17}, "rope_0"}},
                                          {"bwd_a_rs", {SmCount{14}, "attn_0"}},
                                          {"bwd_a_ag", {SmCount{17}, "attn_0"}},
                                          {"bwd_o_ag", {SmCount{17}, "norm_0"}},
                                          {"bwd_o_ar", {SmCount{18}, "norm_0"}},
                                          {"bwd_mlp", {SmCount{12}, "activation_0"}}}));
}

TEST(PublishedPlans, ClocksOfAnotherPlanAreRefused) {
  const auto plan = import_published_plan(folder("slot-names") / "freqs_pipeline_00324.py",
                                          folder("slot-names") / "scheds_pipeline_01326.py");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::bad_input);
}

}  // namespace
}  // namespace kareus::schedule
