#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile_support.hpp"

namespace kareus::planner {
namespace {

using pipeline::OperationKind;
using ::testing::HasSubstr;

TEST(ProfileInput, ReadsColumnsInAnyOrderAndKeepsTheOthersAsConfiguration) {
  const auto profile = parse_profile(
      "energy,time,attention_configs,instruction,frequency,stage\n"
      "30,0.1,rope_0-none-12,Forward,1410,0\n25,0.12,,fwd,1200.0,0\n80,0.3,x,bwd,1410,0\n",
      "p.csv");
  ASSERT_TRUE(profile) << profile.error().to_string();
  EXPECT_EQ(profile->stages, 1);
  const auto& forward = profile->instructions.at({0, 0, OperationKind::forward});
  ASSERT_EQ(forward.size(), 2U);
  EXPECT_EQ(forward[0], (ProfileOption{Clock{1410}, "attention_configs=rope_0-none-12", Seconds(0.1), Joules(30)}));
  EXPECT_EQ(forward[1], (ProfileOption{Clock{1200}, "", Seconds(0.12), Joules(25)}));
  EXPECT_TRUE(profile->notes.empty());
}

TEST(ProfileInput, AggregatesRanksByLongestTimeAndMeanEnergyAndSaysSo) {
  const auto profile = parse_profile(
      "rank,dp_rank,pp_rank,tp_rank,stage,instruction,frequency,time,energy\n"
      "0,0,0,0,0,forward,1410,0.1,30\n1,0,0,1,0,forward,1410,0.12,40\n0,0,0,0,0,backward,1410,0.2,60\n",
      "p.csv");
  ASSERT_TRUE(profile) << profile.error().to_string();
  const ProfileOption& option = profile->instructions.at({0, 0, OperationKind::forward}).front();
  EXPECT_EQ(option.time, Seconds(0.12));
  EXPECT_EQ(option.energy, Joules(35));
  EXPECT_TRUE(any_contains(profile->notes, "p.csv:3:1: 1 options have several rows (ranks of a stage)"));
}

TEST(ProfileInput, AggregatesDuplicatesAndSaysSo) {
  const auto profile =
      parse_profile("stage,instruction,frequency,time,energy\n0,forward,900,1,2\n0,forward,900,2,4\n", "p.csv");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->instructions.begin()->second.size(), 1U);
  EXPECT_TRUE(any_contains(profile->notes, "p.csv:3:1: 1 options have several rows (the same clock"));
}

TEST(ProfileInput, ReportsEveryBadValueWithItsPlace) {
  const std::string text =
      csv_problems("0,forward,1410,0,30\n0,forwrd,1410,0.1,-3\nx,backward,1410.5,nan,inf\n0,backward,1410,0.1,1e999\n");
  EXPECT_THAT(text, HasSubstr("p.csv:2:16: 'time' must be a positive finite number, not '0'"));
  EXPECT_THAT(text, HasSubstr("p.csv:3:3: 'forwrd' is no instruction (did you mean 'forward'?)"));
  EXPECT_THAT(text, HasSubstr("p.csv:3:19: 'energy' must be a positive finite number, not '-3'"));
  EXPECT_THAT(text, HasSubstr("p.csv:4:1: 'stage' must be a whole number"));
  EXPECT_THAT(text, HasSubstr("p.csv:4:12: 'frequency' must be a whole number"));
  EXPECT_THAT(text, HasSubstr("p.csv:4:19: 'time' must be a positive finite number, not 'nan'"));
  EXPECT_THAT(text, HasSubstr("p.csv:4:23: 'energy' must be a positive finite number, not 'inf'"));
  EXPECT_THAT(text, HasSubstr("p.csv:5:21: 'energy' must be a positive finite number, not '1e999'"));
}

TEST(ProfileInput, NamesMissingColumns) {
  const std::string text = csv_problems("", "stage,instruction,freq,time");
  EXPECT_THAT(text, HasSubstr("there is no column 'frequency'"));
  EXPECT_THAT(text, HasSubstr("there is no column 'energy'"));
}

TEST(ProfileInput, NamesMissingStagesAndInstructions) {
  EXPECT_THAT(csv_problems("1,forward,900,1,2\n"), HasSubstr("stage 0 has no rows"));
  EXPECT_THAT(csv_problems("0,forward,900,1,2\n5,forward,900,1,2\n"), HasSubstr("stages 1 to 4 have no rows"));
  EXPECT_THAT(csv_problems("0,forward,900,1,2\n0,backward,900,1,2\n1,forward,900,1,2\n"),
              HasSubstr("stage 1 backward has no rows"));
  EXPECT_THAT(csv_problems(""), HasSubstr("has no rows"));
  EXPECT_THAT(csv_problems("0,forward,2,900,1,2\n", "stage,instruction,chunk,frequency,time,energy"),
              HasSubstr("no stage has rows of chunk 0"));
}

TEST(ProfileInput, ThePublishedExcerptIsRefusedByName) {
  const auto profile = read_profile(profile_path("zeus_docs_a40_excerpt.csv"));
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::bad_input);
  EXPECT_THAT(profile.error().to_string(), HasSubstr("stages 1 to 2 have no rows"));
  EXPECT_THAT(profile.error().to_string(), HasSubstr("stage 3 forward has no rows"));
}

TEST(ProfileInput, ReadsTheJsonFormWithItsSettings) {
  const InstructionProfile profile = test_profile("edge_base.json");
  EXPECT_EQ(profile.stages, 2);
  EXPECT_EQ(profile.settings.microbatches, 4);
  EXPECT_EQ(profile.settings.static_power, Watts(70));
  EXPECT_EQ(profile.settings.unit_time, Seconds(0.005));
  EXPECT_EQ(profile.instructions.size(), 4U);
  EXPECT_EQ(profile.instructions.at({1, 0, OperationKind::backward}).size(), 29U);
}

TEST(ProfileInput, TheJsonFormNamesWhatIsWrong) {
  const auto profile = parse_profile(
      R"({"num_stages": 1, "profile": [{"stage": 1, "instruction": "forward", "frequency": 900, "time": 1, "energy": 2},
          {"stage": 0, "instruction": "bakward", "frequency": 900, "time": -1, "energy": "x"}], "other": 1})",
      "p.json");
  ASSERT_FALSE(profile);
  const std::string text = profile.error().to_string();
  EXPECT_THAT(text, HasSubstr("/profile/1/instruction: 'bakward' is no instruction (did you mean 'backward'?)"));
  EXPECT_THAT(text, HasSubstr("/profile/1/time: 'time' must be a positive finite number, not -1"));
  EXPECT_THAT(text, HasSubstr("'energy' must be a number"));
  EXPECT_THAT(text, HasSubstr("other"));
}

TEST(ProfileInput, MissingRowsOfTheReferenceCaseAreNamed) {
  const auto profile = read_profile(profile_path("edge_missing_rows.json"));
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().to_string(), HasSubstr("stage 1 backward has no rows"));
}

TEST(ProfileInput, NotesHigherClocksThatAreSlower) {
  const InstructionProfile profile = test_profile("edge_noisy.json");
  EXPECT_TRUE(any_contains(profile.notes, "a higher clock is slower"));
  EXPECT_EQ(profile.instructions.at({0, 0, OperationKind::forward}).size(), 29U);
}

}  // namespace
}  // namespace kareus::planner
