#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "profile_support.hpp"
#include "schedule/published_plan.hpp"

namespace kareus::planner {
namespace {

InstructionFrontier small_frontier() {
  const InstructionProfile profile = test_profile("edge_two_freqs.json");
  InstructionFrontierOptions options = default_options(profile);
  options.points = 4;
  return solved(profile, options);
}

TEST(CurveFile, SaysWhatTheFrontierHolds) {
  const InstructionFrontier frontier = small_frontier();
  const auto json = nlohmann::json::parse(to_json(frontier));
  EXPECT_EQ(json["format"], "kareus-curve");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["stages"].size(), 2U);
  EXPECT_EQ(json["stages"][1]["order"][1], "B0");
  EXPECT_EQ(json["curve"].size(), frontier.curve.size());
  ASSERT_EQ(json["points"].size(), frontier.points.size());
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    const auto& point = json["points"][i];
    EXPECT_EQ(point["time_s"], frontier.points[i].time.si());
    EXPECT_EQ(point["energy_j"], frontier.points[i].energy().si());
    EXPECT_EQ(point["certificate"]["optimal"], true);
    for (std::size_t stage = 0; stage < 2; ++stage) {
      EXPECT_EQ(point["stages"][stage]["choices"], frontier.points[i].choices[stage]);
    }
  }
}

TEST(CurveFile, TheTableHasARowPerPoint) {
  const InstructionFrontier frontier = small_frontier();
  const auto csv = parse_csv(to_csv(frontier), "points.csv");
  ASSERT_TRUE(csv) << csv.error().to_string();
  ASSERT_EQ(csv->rows.size(), frontier.points.size());
  EXPECT_EQ(csv->header[0], "time_s");
  EXPECT_EQ(parse_number(csv->rows[0][0].text), frontier.points[0].time.si());
  EXPECT_EQ(parse_number(csv->rows[0][1].text), frontier.points[0].energy().si());
}

TEST(PlanFiles, AreReadBackAsWritten) {
  const InstructionFrontier frontier = small_frontier();
  const auto files = to_plan_files(frontier);
  ASSERT_TRUE(files) << files.error().to_string();
  ASSERT_EQ(files->size(), frontier.points.size());
  for (std::size_t index = 0; index < files->size(); ++index) {
    const PlanText& file = (*files)[index];
    const InstructionPoint& point = frontier.points[files->size() - 1 - index];
    EXPECT_EQ(file.file, "freqs_pipeline_0000" + std::to_string(index) + ".py");
    const auto plan = schedule::import_published_plan(schedule::NamedText{file.text, file.file}, std::nullopt);
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_EQ(plan->iteration, static_cast<long>(index));
    EXPECT_NEAR(*plan->effective_energy_j, point.effective_energy.si(), 1e-9);
    EXPECT_NEAR(*plan->total_energy_j, point.energy().si(), 1e-9);
    ASSERT_EQ(plan->stages.size(), frontier.order.size());
    for (std::size_t stage = 0; stage < plan->stages.size(); ++stage) {
      ASSERT_EQ(plan->stages[stage].size(), frontier.order[stage].size());
      for (std::size_t i = 0; i < plan->stages[stage].size(); ++i) {
        const auto& read = plan->stages[stage][i];
        const bool forward = frontier.order[stage][i].kind == pipeline::OperationKind::forward;
        EXPECT_EQ(read.kind == schedule::InstructionKind::forward, forward);
        EXPECT_EQ(read.clock, frontier.options_at(stage, i)[point.choices[stage][i]].clock);
      }
    }
  }
}

TEST(PlanFiles, OfSeveralPipelinesAreApartAndShareTheEnergy) {
  const InstructionProfile profile = test_profile("edge_two_freqs.json");
  InstructionFrontierOptions options = default_options(profile);
  options.points = 2;
  const auto frontier = solve_instruction_frontier({profile, profile}, options);
  ASSERT_TRUE(frontier);
  const auto files = to_plan_files(*frontier);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2 * frontier->points.size());
  EXPECT_EQ(files->back().file.rfind("pipeline_1/", 0), 0U);
  double total = 0;
  for (const std::size_t last : {frontier->points.size() - 1, files->size() - 1}) {
    const auto plan = schedule::import_published_plan(schedule::NamedText{(*files)[last].text, "p"}, std::nullopt);
    ASSERT_TRUE(plan);
    total += *plan->total_energy_j;
  }
  EXPECT_NEAR(total, frontier->points.front().energy().si(), 1e-9);
}

TEST(PlanFiles, CannotSaySplitBackwards) {
  InstructionProfile profile = test_profile("edge_two_freqs.json");
  for (int stage = 0; stage < 2; ++stage) {
    const auto& backward = profile.instructions.at({stage, 0, pipeline::OperationKind::backward});
    profile.instructions[{stage, 0, pipeline::OperationKind::input_gradient}] = backward;
    profile.instructions[{stage, 0, pipeline::OperationKind::weight_gradient}] = backward;
  }
  InstructionFrontierOptions options = default_options(profile);
  options.points = 1;
  options.schedule = "zb-h1";
  EXPECT_FALSE(to_plan_files(solved(profile, options)));
}

}  // namespace
}  // namespace kareus::planner
