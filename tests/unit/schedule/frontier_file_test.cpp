#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "frontiers.hpp"

namespace kareus::schedule {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

std::string small_text() {
  return to_json(testing::small_frontier());
}

std::string problems_of(const std::string& text) {
  const auto parsed = parse_frontier(text, "f.json");
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().code, ErrorCode::bad_input);
  return parsed.error().to_string();
}

TEST(FrontierFile, ReadsBackWhatItWrote) {
  const auto parsed = parse_frontier(small_text(), "f.json");
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  EXPECT_EQ(*parsed, testing::small_frontier());
  EXPECT_EQ(to_json(*parsed), small_text());
}

TEST(FrontierFile, FormatAndVersionComeFirst) {
  EXPECT_THAT(small_text(), StartsWith("{\n  \"format\": \"kareus-frontier\",\n  \"version\": 1,\n"));
}

TEST(FrontierFile, IndexArraysStandOnOneLine) {
  EXPECT_THAT(small_text(), HasSubstr("{\"choices\": [1, 0, 0, 0]}"));
}

TEST(FrontierFile, NotANumberIsNeverWritten) {
  auto frontier = testing::small_frontier();
  frontier.points[0].bound = Joules(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(to_json(frontier), std::logic_error);
}

TEST(FrontierFile, NewerVersionSaysWhichIsRead) {
  EXPECT_THAT(problems_of(replaced(small_text(), "\"version\": 1", "\"version\": 2")),
              AllOf(HasSubstr("version 2"), HasSubstr("reads version 1")));
}

TEST(FrontierFile, OtherFormatsAreNamed) {
  const std::string plan = to_json(make_plan(testing::small_frontier(), 0));
  EXPECT_THAT(problems_of(plan), AllOf(HasSubstr("'kareus-plan'"), HasSubstr("'kareus-frontier'")));
  EXPECT_THAT(problems_of("{}"), HasSubstr("'format' is missing"));
  EXPECT_THAT(problems_of("[1]"), HasSubstr("f.json"));
}

TEST(FrontierFile, EveryTruncationIsRefused) {
  const std::string text = small_text();
  for (std::size_t length = 0; length + 2 < text.size(); length += 3) {
    EXPECT_FALSE(parse_frontier(text.substr(0, length), "f.json")) << length;
  }
}

TEST(FrontierFile, AnIndexOutOfRangeIsFound) {
  EXPECT_THAT(
      problems_of(replaced(small_text(), "[1, 0, 0, 0]", "[2, 0, 0, 0]")),
      AllOf(HasSubstr("/points/1/stages/0/choices"), HasSubstr("option 2 for F0"), HasSubstr("2 forward options")));
  EXPECT_THAT(problems_of(replaced(small_text(), "[1, 0, 0, 0]", "[-1, 0, 0, 0]")), HasSubstr("not -1"));
}

TEST(FrontierFile, ChoicesMustCoverTheOrder) {
  EXPECT_THAT(problems_of(replaced(small_text(), "[1, 0, 0, 0]", "[1, 0, 0]")),
              HasSubstr("has 3 choices, but the stage executes 4 instructions"));
}

TEST(FrontierFile, TimesMustBePositiveAndAscend) {
  EXPECT_THAT(problems_of(replaced(small_text(), "\"time_s\": 9.0", "\"time_s\": 0.0")), HasSubstr("must be positive"));
  EXPECT_THAT(problems_of(replaced(small_text(), "\"time_s\": 9.0", "\"time_s\": 10.1")),
              HasSubstr("the points must ascend in time, but 10.1 s follows 10.1 s"));
  EXPECT_THAT(problems_of(replaced(small_text(), "\"time_s\": 1.0", "\"time_s\": 1.75")),
              HasSubstr("the options of a stage must ascend in time"));
}

TEST(FrontierFile, StaticPowerByClockIsWrittenWhereThereIsOneAndAscends) {
  EXPECT_THAT(to_json(testing::small_frontier()), Not(HasSubstr("static_power_at")));
  FrontierFile frontier = testing::small_frontier();
  frontier.static_power_at = {{Clock{1200}, Watts(8)}, {Clock{1410}, Watts(10)}};
  const std::string text = to_json(frontier);
  EXPECT_EQ(parse_frontier(text, "f.json").value(), frontier);
  EXPECT_THAT(problems_of(replaced(text, R"({"clock_mhz": 1410, "power_w")", R"({"clock_mhz": 1200, "power_w")")),
              HasSubstr("the clocks must ascend, but 1200 MHz follows 1200 MHz"));
}

TEST(PowerAt, IsLinearBetweenClocksAndConstantBeyond) {
  const PowerByClock table{{Clock{1000}, Watts(60)}, {Clock{1200}, Watts(80)}};
  EXPECT_EQ(power_at(table, Clock{900}), Watts(60));
  EXPECT_EQ(power_at(table, Clock{1000}), Watts(60));
  EXPECT_DOUBLE_EQ(power_at(table, Clock{1050}).si(), 65);
  EXPECT_EQ(power_at(table, Clock{1400}), Watts(80));
}

TEST(FrontierFile, EnergiesMustAddUp) {
  EXPECT_THAT(problems_of(replaced(small_text(), "\"energy_j\": 580.0", "\"energy_j\": 580.1")),
              HasSubstr("add up to 580"));
  // The last digit may differ, as sums in another order do.
  EXPECT_EQ(problems_of(replaced(small_text(), "\"energy_j\": 580.0", "\"energy_j\": 580.0000000000001")), "accepted");
}

TEST(FrontierFile, UnknownKeysGetASuggestion) {
  EXPECT_THAT(problems_of(replaced(small_text(), "\"pipelines\"", "\"pipeline\"")),
              AllOf(HasSubstr("unknown key 'pipeline'"), HasSubstr("'pipelines' is missing"),
                    HasSubstr("did you mean 'pipelines'?")));
}

TEST(FrontierFile, AllProblemsAreFoundAtOnce) {
  std::string text = replaced(small_text(), "\"time_s\": 9.0", "\"time_s\": -9.0");
  text = replaced(text, "\"seed\": \"18446744073709551614\"", "\"seed\": \"18446744073709551616\"");
  text = replaced(text, "\"F0\", \"F1\"", "\"F0\", \"F0\"");
  text = replaced(text, "\"clock_mhz\": 1410", "\"clock_mhz\": \"fast\"");
  text = replaced(text, "\"launch_slot\": \"rope_0\"", "\"launch_slot\": \"\"");
  const auto parsed = parse_frontier(text, "f.json");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().problems.size(), 5U) << parsed.error().to_string();
}

TEST(FrontierFile, SequentialExecutionHasNoPartitions) {
  EXPECT_THAT(problems_of(replaced(small_text(), "\"sequential\": false", "\"sequential\": true")),
              HasSubstr("executed sequentially"));
}

TEST(FrontierFile, InstructionNamesHaveOneSpelling) {
  for (const char* name : {"\"F00\"", "\"G0\"", "\"F\"", "\"F-1\"", "\"F0 \"", "\"\"", "\"F99999999999\""}) {
    EXPECT_THAT(problems_of(replaced(small_text(), "\"F0\"", name)), HasSubstr("is no instruction")) << name;
  }
}

TEST(PlanFile, ReadsBackWhatItWrote) {
  const Plan plan = make_plan(testing::small_frontier(), 2);
  const auto parsed = parse_plan(to_json(plan), "p.json");
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  EXPECT_EQ(*parsed, plan);
}

TEST(PlanFile, ContradictionsAreFound) {
  std::string text = to_json(make_plan(testing::small_frontier(), 2));
  text = replaced(text, "\"energy_j\": 530.0", "\"energy_j\": 430.0");
  text = replaced(text, "\"instruction\": \"F1\"", "\"instruction\": \"F0\"");
  const auto parsed = parse_plan(text, "p.json");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().to_string(), AllOf(HasSubstr("add up to 530"), HasSubstr("F0 stands twice")));
}

TEST(FrontierFile, AMissingFileIsBadInput) {
  const auto read = read_frontier("/nowhere/frontier.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::bad_input);
}

TEST(FrontierFile, AHundredPointsOf2560InstructionsAreReadInWellUnderASecond) {
  FrontierFile frontier = testing::small_frontier();
  frontier.order.clear();
  frontier.stages.clear();
  std::vector<std::uint32_t> choices;
  std::vector<Instruction> order;
  for (int i = 0; i < 128; ++i) {
    for (const auto kind : {InstructionKind::forward, InstructionKind::backward}) {
      order.push_back({kind, i});
      choices.push_back(static_cast<std::uint32_t>(i % 100));
    }
  }
  StageOptions options;
  for (int i = 0; i < 100; ++i) options.forward.push_back(testing::option(1.0 + i / 7.0, 40.0 - i / 9.0, 1410, 15));
  options.backward = options.forward;
  frontier.order.assign(10, order);
  frontier.stages.assign(10, options);
  const FrontierPoint point = frontier.points[0];
  frontier.points.clear();
  for (int i = 0; i < 100; ++i) {
    frontier.points.push_back(point);
    frontier.points.back().time = Seconds(9.0 + i / 3.0);
    frontier.points.back().choices.assign(10, choices);
  }
  const std::string text = to_json(frontier);
  const auto start = std::chrono::steady_clock::now();
  const auto parsed = parse_frontier(text, "big.json");
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  EXPECT_EQ(*parsed, frontier);
  RecordProperty("parse_ms", static_cast<int>(spent.count() * 1e3));
  // An order of magnitude above what it takes, since machines that test are shared.
  EXPECT_LT(spent.count(), 3.0);
}

}  // namespace
}  // namespace kareus::schedule
