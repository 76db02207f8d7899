#include "schedule/published_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/published_types.hpp"

namespace kareus::schedule {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kClocks = "[[('forward', 1350), ('backward', 1290)]]\n# Iteration 7 total cost: 10.5\n";
constexpr const char* kSchedules =
    "[[('forward', 'rope_0-none-15-1024', 'none-none-6-1024'),\n"
    " ('backward', 'attn_0-none-3-1024', 'norm_0-none-6-1024', 'rope_0-none-9-1024', 'activation_0-none-12-1024')]]\n";

Result<ImportedPlan> import(std::string_view clocks, std::optional<std::string_view> schedules) {
  std::optional<NamedText> second;
  if (schedules) second = NamedText{*schedules, "s.py"};
  return import_published_plan(NamedText{clocks, "c.py"}, second);
}

std::string problems_of(std::string_view clocks, std::optional<std::string_view> schedules) {
  const auto plan = import(clocks, schedules);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, ErrorCode::bad_input);
  return plan.error().to_string();
}

TEST(PublishedPlan, ClocksAlone) {
  const auto plan = import(kClocks, std::nullopt);
  ASSERT_TRUE(plan) << plan.error().to_string();
  ASSERT_EQ(plan->stages.size(), 1U);
  EXPECT_EQ(plan->stages[0][1].kind, InstructionKind::backward);
  EXPECT_EQ(plan->stages[0][1].clock, Clock{1290});
  EXPECT_TRUE(plan->stages[0][0].partitions.empty());
  EXPECT_EQ(plan->effective_energy_j, 10.5);
  EXPECT_FALSE(plan->total_energy_j);
  EXPECT_EQ(plan->iteration, 7);
}

TEST(PublishedPlan, SlotNames) {
  const auto plan = import(kClocks, kSchedules);
  ASSERT_TRUE(plan) << plan.error().to_string();
  const auto& stage = plan->stages[0];
  ASSERT_EQ(stage[0].partitions.size(), 2U);
  EXPECT_EQ(stage[0].partitions[0], (std::pair<std::string, PartitionConfig>{"fwd_attn", {SmCount{15}, "rope_0"}}));
  EXPECT_EQ(stage[0].partitions[1], (std::pair<std::string, PartitionConfig>{"fwd_mlp", {SmCount{6}, "none"}}));
  ASSERT_EQ(stage[1].recomputed.size(), 2U);
  EXPECT_EQ(stage[1].recomputed[1].first, "fwd_mlp");
  EXPECT_EQ(stage[1].partitions[1],
            (std::pair<std::string, PartitionConfig>{"bwd_mlp", {SmCount{12}, "activation_0"}}));
}

TEST(PublishedPlan, PairsAreAssignedInExecutionOrder) {
  const auto plan =
      import("[[('forward', 1), ('forward', 2), ('backward', 3), ('backward', 4)]]",
             "[[(('forward', '0-8-3-1024', '0-6-6-1024'), ('backward', '2-8-9-1024', '3-6-12-1024')),"
             "  (('forward', '2-8-15-1024', '2-6-18-1024'), ('backward', '5-8-21-1024', '0-6-24-1024'))]]");
  ASSERT_TRUE(plan) << plan.error().to_string();
  const auto& stage = plan->stages[0];
  EXPECT_EQ(stage[1].clock, Clock{2});
  EXPECT_EQ(stage[1].partitions[0].second, (PartitionConfig{SmCount{15}, "linear_0"}));
  EXPECT_EQ(stage[2].partitions[0].second, (PartitionConfig{SmCount{9}, "linear_0"}));
  EXPECT_EQ(stage[3].partitions[0].second, (PartitionConfig{SmCount{21}, "rope_0"}));
  EXPECT_TRUE(stage[3].recomputed.empty());
}

TEST(PublishedPlan, LegacyIndicesBecomeSlotNames) {
  const auto slot = [](const char* text, const char* type) {
    const auto config = parse_published_config(text, type);
    return config ? config->launch_slot : config.error().to_string();
  };
  EXPECT_EQ(slot("4-8-15-1024", "fwd_attn"), "rope_0");
  EXPECT_EQ(slot("6-8-15-1024", "fwd_attn"), "attn_0");
  EXPECT_EQ(slot("5-8-15-1024", "bwd_attn"), "rope_0");
  EXPECT_EQ(slot("3-6-15-1024", "bwd_mlp"), "activation_0");
  EXPECT_EQ(slot("4-6-15-1024", "fwd_mlp"), "activation_0");
  EXPECT_EQ(slot("4-5-15-1024", "fwd_qkv_ag"), "rope_0");
  EXPECT_EQ(slot("2-5-15-1024", "bwd_qkv_rs"), "linear_0");
  EXPECT_EQ(slot("1-2-15-1024", "fwd_ao_ag"), "linear_0");
  EXPECT_EQ(slot("0-0-15-1024", "bwd_a_rs"), "attn_0");
  EXPECT_EQ(slot("-1--1-15-1024", "fwd_mlp"), "none");
  EXPECT_THAT(slot("1-8-15-1024", "fwd_attn"), HasSubstr("operator 1 does not start a launch slot of fwd_attn"));
  EXPECT_THAT(slot("4-2-15-1024", "fwd_attn"), HasSubstr("ends before it starts"));
}

TEST(PublishedPlan, BadConfigurationsAreRefused) {
  for (const char* text :
       {"", "-", "norm_0", "norm_0-none", "norm_0-none-15", "norm_0-none-15-x", "norm_0-none-0-1024",
        "norm_0-none-15-2048", "norm_0-2-15-1024", "0-none-15-1024", "99999999999-8-15-1024", "---"}) {
    EXPECT_FALSE(parse_published_config(text, "fwd_attn")) << text;
  }
  const auto typo = parse_published_config("nrom_0-none-15-1024", "fwd_attn");
  ASSERT_FALSE(typo);
  EXPECT_THAT(typo.error().to_string(), HasSubstr("did you mean 'norm_0'?"));
}

TEST(PublishedPlan, EveryProblemIsFoundWithItsPlace) {
  const std::string problems = problems_of("[[('forward', 0), ('backwards', 1290), ('forward',), 3]]",
                                           "[[('forward', 'rope_9-none-15-1024', 7)]]");
  EXPECT_THAT(problems,
              AllOf(HasSubstr("c.py:1:15: 0 MHz is no clock"), HasSubstr("did you mean 'backward'?"),
                    HasSubstr("c.py:1:40: an instruction has a name and a clock"),
                    HasSubstr("an instruction must be a tuple, not an integer"),
                    HasSubstr("fwd_attn has no launch slot 'rope_9'"), HasSubstr("a configuration must be a text")));
}

TEST(PublishedPlan, FilesOfDifferentPlansAreRefused) {
  EXPECT_THAT(problems_of("[[('backward', 1), ('forward', 2)]]", kSchedules),
              HasSubstr("differs from the clocks at instruction 0"));
  EXPECT_THAT(problems_of("[[('forward', 1)]]", kSchedules), HasSubstr("has 2 instructions, the clocks have 1"));
  EXPECT_THAT(problems_of("[[], []]", kSchedules), HasSubstr("has 1 stages, the clocks have 2"));
  EXPECT_THAT(problems_of(kClocks, std::string(kSchedules) + "# Iteration 8 total cost: 10.5\n"),
              HasSubstr("is of iteration 8, the clocks are of 7"));
  EXPECT_THAT(problems_of(kClocks, std::string(kSchedules) + "# Iteration 7 total cost: 10.6\n"),
              HasSubstr("other costs"));
}

TEST(PublishedPlan, TheNumberOfConfigurationsIsThatOfTheFile) {
  EXPECT_THAT(
      problems_of("[[('forward', 1), ('backward', 2)]]",
                  "[[('forward', '0-8-3-1024', '0-6-6-1024'), ('backward', '0-8-3-1024')]]"),
      AllOf(StartsWith("s.py:1:44"), HasSubstr("a backward instruction has 4 configurations in this file, not 1")));
}

TEST(PublishedPlan, BadCommentsAreNamed) {
  EXPECT_THAT(problems_of("[[('forward', 1)]]\n# Iteration 3 total cost: nan", std::nullopt),
              AllOf(StartsWith("c.py:2:1"), HasSubstr("no finite number")));
  EXPECT_THAT(problems_of("[[('forward', 1)]]\n# Iteration x total cost: 1", std::nullopt),
              HasSubstr("names no iteration"));
  EXPECT_EQ(problems_of("[[('forward', 1)]]\n# anything else", std::nullopt), "accepted");
}

TEST(PublishedPlan, NoStagesAndNoListAreRefused) {
  EXPECT_THAT(problems_of("[]", std::nullopt), HasSubstr("has no stage"));
  EXPECT_THAT(problems_of("7", std::nullopt), HasSubstr("must be a list, not an integer"));
  EXPECT_THAT(problems_of("[7]", "[7]"), HasSubstr("a stage must be a list"));
}

}  // namespace
}  // namespace kareus::schedule
