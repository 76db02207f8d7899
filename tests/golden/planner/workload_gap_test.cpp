// How near a workload's realised points are to the bound, on options that `kareus plan` found for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "kareus/planner.hpp"

namespace kareus::planner {
namespace {

constexpr Watts kStaticPower(83.99276958751035);

std::vector<schedule::StageOptions> read_options(const std::string& path) {
  std::vector<schedule::StageOptions> stages(2);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::size_t stage = 0;
    std::string kind;
    double time = 0;
    double energy = 0;
    fields >> stage >> kind >> time >> energy;
    auto& options = kind == "forward" ? stages.at(stage).forward : stages.at(stage).backward;
    options.push_back(
        {Seconds(time), Joules(energy), {.clock = Clock{}, .sequential = true, .partitions = {}, .recomputed = {}}});
  }
  return stages;
}

TEST(WorkloadGap, IsAtMostThreeTenthsOfAPerCent) {
  const auto stages =
      read_options(std::string(KAREUS_TEST_DATA) + "/workload-options/llama3.2-3b-tp8-mbs8-seq4096.csv");
  ASSERT_EQ(stages[1].backward.size(), 348U);
  workload::Workload workload;
  workload.microbatches = 8;
  const auto frontier = iteration_frontier(stages, workload, kStaticPower, 50, {});
  ASSERT_TRUE(frontier) << frontier.error().to_string();
  EXPECT_GE(frontier->points.size(), 45U);
  double sum = 0;
  for (const schedule::FrontierPoint& point : frontier->points) {
    const double gap = point.energy / point.bound - 1;
    EXPECT_GE(gap, -1e-9);
    EXPECT_LE(gap, 3e-3) << "at " << point.time.si() << " s";
    sum += gap;
  }
  EXPECT_LE(sum / static_cast<double>(frontier->points.size()), 1.3e-3);
}

}  // namespace
}  // namespace kareus::planner
