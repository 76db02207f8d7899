#include "kareus/evaluation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluate/result_file.hpp"
#include "kareus/calibrate.hpp"

namespace kareus::evaluate {
namespace {

const std::filesystem::path kRoot = KAREUS_SOURCE_DIR;

class EvaluationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("kareus_evaluation_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    device_ = device::read_description(kRoot / "devices" / "a100-sxm4-40gb.toml").value();
    workloads_ = {workload::read_workload(kRoot / "workloads" / "qwen3-1.7b-tp8-mbs8-seq4096.toml").value()};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<Evaluation> run(const std::vector<Recipe>& recipes, EvaluationOptions options = {}) const {
    options.folder = folder_;
    options.points = 8;
    return evaluate(workloads_, device_, recipes, options);
  }
  std::string file(const std::string& recipe) const {
    std::ostringstream text;
    text << std::ifstream(path(recipe)).rdbuf();
    return text.str();
  }
  std::filesystem::path path(const std::string& recipe) const {
    return folder_ / (workloads_[0].name + "." + recipe + ".json");
  }

  std::filesystem::path folder_;
  device::DeviceDescription device_;
  std::vector<workload::Workload> workloads_;
};

TEST_F(EvaluationTest, MethodsComeOutInTheOrderThatTheirChoicesSay) {
  const auto all = run(methods()).value();
  const auto measures = rows(all);
  ASSERT_EQ(measures.size(), 14U);
  for (const bool calibrated : {false, true}) {
    const auto find = [&](const std::string& recipe) {
      return *std::find_if(measures.begin(), measures.end(),
                           [&](const Row& row) { return row.recipe == recipe && row.calibrated == calibrated; });
    };
    EXPECT_EQ(find("megatron").time_reduction, 0.0);
    EXPECT_GT(find("megatron-perseus").energy_reduction, 0.0);
    EXPECT_GT(find("kareus").iso_time_energy, find("nanobatching-perseus").iso_time_energy);
    EXPECT_GT(find("kareus").hypervolume, find("megatron-perseus").hypervolume);
    EXPECT_LT(find("kareus-parked").energy.si(), find("kareus").energy.si());
    EXPECT_LT(find("kareus").measurements, find("kareus-published").measurements);
    EXPECT_EQ(find("megatron").profiling_gpu_hours, 0.0);
    EXPECT_GT(find("kareus").profiling_gpu_hours, 0.0);
  }
  // The published rows of this workload are there at both levels, the headlines too.
  const auto published = published_rows(all, kRoot / "data" / "validation" / "published-plans.csv").value();
  EXPECT_THAT(published, ::testing::Contains(::testing::Field(&PublishedRow::what, "planned frontier")));
  EXPECT_THAT(published, ::testing::Contains(::testing::Field(&PublishedRow::what, "headline, testbed")));
  for (const PublishedRow& row : published) EXPECT_FALSE(row.note.empty());
  EXPECT_EQ(goals(all).size(), 8U);
}

TEST_F(EvaluationTest, GoesOnFromItsResultFiles) {
  std::vector<Recipe> recipes = methods();
  recipes.resize(2);
  EvaluationOptions stopped;
  stopped.threads = 1;
  int asked = 0;
  stopped.interrupted = [&asked] { return asked++ == 1; };
  const auto half = run(recipes, stopped);
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().code, ErrorCode::interrupted);
  ASSERT_TRUE(std::filesystem::exists(path("megatron")));
  ASSERT_FALSE(std::filesystem::exists(path("megatron-perseus")));

  // What the file says is believed when the identity is right, and made again when it is not.
  std::string text = file("megatron");
  const std::string count = "\"measurements\": 0";
  ASSERT_NE(text.find(count), std::string::npos);
  text.replace(text.find(count), count.size(), "\"measurements\": 7");
  std::ofstream(path("megatron")) << text;
  EXPECT_EQ(run(recipes).value().workloads[0].results[0].measurements, 7U);
  EvaluationOptions other;
  other.seed = 1;
  EXPECT_EQ(run(recipes, other).value().workloads[0].results[0].measurements, 0U);
}

TEST_F(EvaluationTest, RefusesAFileThatIsNoResult) {
  std::filesystem::create_directories(folder_);
  std::ofstream(path("megatron")) << R"({"format": "something else", "version": 1})";
  std::vector<Recipe> recipes = methods();
  recipes.resize(1);
  const auto result = run(recipes);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_input);
  EXPECT_THAT(result.error().to_string(), ::testing::HasSubstr("delete the file"));
}

TEST_F(EvaluationTest, ResultsSurviveTheirFiles) {
  std::vector<Recipe> recipes = methods();
  recipes.resize(2);
  const auto made = run(recipes).value();
  const auto read = run(recipes).value();
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    EXPECT_EQ(result_to_json(made.workloads[0].results[i], "x"), result_to_json(read.workloads[0].results[i], "x"));
    for (std::size_t k = 0; k < 2; ++k) {
      const Outcome& outcome = made.workloads[0].results[i].outcomes[k];
      EXPECT_EQ(read.workloads[0].results[i].outcomes[k].ends, outcome.ends);
      ASSERT_EQ(outcome.ends.points.size(), i == 0 ? 1U : 2U);
      EXPECT_EQ(outcome.ends.points.front().time, outcome.points.front().time);
      for (const schedule::FrontierPoint& point : outcome.points) {
        EXPECT_LE(outcome.ends.points.back().energy, point.energy);
      }
    }
  }
}

TEST_F(EvaluationTest, AResultWithoutItsFrontiersIsMadeAgainAndABrokenOneIsNamed) {
  std::vector<Recipe> recipes = methods();
  recipes.resize(1);
  const auto made = run(recipes).value();
  const auto frontier = path("megatron.blind.frontier");
  ASSERT_TRUE(std::filesystem::remove(frontier));
  EXPECT_EQ(run(recipes).value().workloads[0].results[0].outcomes[0].ends,
            made.workloads[0].results[0].outcomes[0].ends);
  ASSERT_TRUE(std::filesystem::exists(frontier));
  std::ofstream(frontier) << "{}";
  const auto broken = run(recipes);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().to_string(), ::testing::AllOf(::testing::HasSubstr("megatron.blind.frontier.json"),
                                                           ::testing::HasSubstr("delete the file")));
}

TEST_F(EvaluationTest, SensitivityGoesAsFarInARangeAsTheDeviceMakesSense) {
  // Few clocks, so that little is searched, and one range: more memory bandwidth than there is at its high end.
  for (device::Constant& constant : device_.constants) {
    if (constant.name != "communication.memory_per_wire_byte") constant.range.reset();
    if (constant.name == "clocks.searched_lowest_mhz") constant.value = 1350;
  }
  device_ = calibrate::with_constants(device_, {}).value();
  EvaluationOptions options;
  options.folder = folder_;
  options.points = 4;
  const Sensitivity result = sensitivity(workloads_, device_, options).value();
  ASSERT_EQ(result.influences.size(), 1U);
  const Influence& one = result.influences.front();
  EXPECT_EQ(one.low.value, one.low.wanted);
  EXPECT_LT(one.high.value, one.high.wanted);
  EXPECT_GT(one.high.value, device_.communication.memory_per_wire_byte);
  EXPECT_NE(one.low.headline.time_reduction, one.high.headline.time_reduction);
  EXPECT_LE(result.low.time_reduction, result.nominal.time_reduction);
  EXPECT_GE(result.high.time_reduction - result.low.time_reduction,
            std::abs(one.high.headline.time_reduction - one.low.headline.time_reduction) - 1e-9);
  EXPECT_GT(result.nominal.parked_clocks, 0.0);

  // What is kept is taken: a changed file shows in the result.
  const auto kept = folder_ / "as-described" / (workloads_[0].name + ".megatron.json");
  std::ostringstream text;
  text << std::ifstream(kept).rdbuf();
  auto json = nlohmann::json::parse(text.str());
  for (auto& outcome : json["outcomes"]) {
    for (auto& point : outcome["points"]) point["time_s"] = 2.0 * point["time_s"].get<double>();
  }
  std::ofstream(kept) << json;
  const Sensitivity again = sensitivity(workloads_, device_, options).value();
  EXPECT_GT(again.nominal.time_reduction, result.nominal.time_reduction + 10.0);
  EXPECT_EQ(again.nominal.iso_time_energy, result.nominal.iso_time_energy);
}

TEST_F(EvaluationTest, TakingPartsAwayNeverHelps) {
  std::vector<Recipe> recipes;
  for (const Recipe& recipe : ablations()) {
    if (recipe.search == Search::exhaustive) recipes.push_back(recipe);
  }
  const auto measures = rows(run(recipes).value());
  ASSERT_EQ(measures.size(), 10U);
  for (const Row& row : measures) {
    const auto whole = std::find_if(measures.begin(), measures.end(), [&](const Row& other) {
      return other.recipe == "exhaustive" && other.calibrated == row.calibrated;
    });
    EXPECT_LE(whole->time.si(), row.time.si() * 1.001) << row.recipe;
    EXPECT_GE(whole->hypervolume, row.hypervolume * 0.999) << row.recipe;
  }
}

}  // namespace
}  // namespace kareus::evaluate
