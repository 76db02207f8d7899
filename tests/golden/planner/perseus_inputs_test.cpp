// The published optimiser's cost functions (*.fn) and frontiers, from the inputs that its users have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "kareus/instruction_frontier.hpp"

namespace kareus::planner {
namespace {

using pipeline::OperationKind;

std::string data(const std::string& file) {
  return std::string(KAREUS_TEST_DATA) + "/" + file;
}

InstructionProfile profile_of(const std::string& name) {
  auto profile = read_profile(data("instruction-profiles/" + name + ".json"));
  EXPECT_TRUE(profile) << profile.error().to_string();
  return *profile;
}

/// time in units and effective energy in J, one row per step of the reference solver.
std::vector<std::pair<double, double>> reference_rows(const std::string& name) {
  std::ifstream file(data("perseus-bench/" + name + ".frontier.csv"));
  EXPECT_TRUE(file.is_open());
  std::vector<std::pair<double, double>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream text(line);
    double iteration = 0;
    double units = 0;
    double seconds = 0;
    double energy = 0;
    EXPECT_TRUE(text >> iteration >> units >> seconds >> energy) << line;
    rows.emplace_back(seconds, energy);
  }
  return rows;
}

class ExponentialInput : public testing::TestWithParam<std::string> {};

TEST_P(ExponentialInput, FitsTheFunctionsThatTheReferenceSaw) {
  const InstructionProfile profile = profile_of(GetParam());
  std::ifstream file(data("perseus-bench/" + GetParam() + ".fn"));
  int stages = 0;
  int microbatches = 0;
  ASSERT_TRUE(file >> stages >> microbatches);
  ASSERT_EQ(stages, profile.stages);
  for (const OperationKind kind : {OperationKind::forward, OperationKind::backward}) {
    for (int stage = 0; stage < stages; ++stage) {
      const auto costs = exponential_costs(profile.instructions.at({stage, 0, kind}), *profile.settings.static_power,
                                           *profile.settings.unit_time, *profile.settings.noise_factor, "");
      ASSERT_TRUE(costs) << costs.error().to_string();
      std::size_t count = 0;
      ASSERT_TRUE(file >> count);
      ASSERT_EQ(costs->size(), count);
      for (const pipeline::NodeOption& option : *costs) {
        double units = 0;
        double energy = 0;
        ASSERT_TRUE(file >> units >> energy);
        EXPECT_NEAR(option.time / *profile.settings.unit_time, units, 1e-9);
        EXPECT_NEAR(option.effective_energy.si(), energy, 1e-6 * energy);
      }
    }
  }
}

TEST_P(ExponentialInput, GivesTheReferenceFrontierEndToEnd) {
  const InstructionProfile profile = profile_of(GetParam());
  InstructionFrontierOptions options = default_options(profile);
  options.cost_model = CostModel::exponential;
  options.full = true;
  options.points = 2;
  const auto frontier = solve_instruction_frontier({profile}, options);
  ASSERT_TRUE(frontier) << frontier.error().to_string();
  const auto rows = reference_rows(GetParam());
  ASSERT_GT(rows.size(), 200U);
  const auto& curve = frontier->curve;
  EXPECT_NEAR(curve.back().time.si(), rows.back().first, 1e-9);
  for (const auto& [time, energy] : rows) {
    const auto next = std::find_if(curve.begin(), curve.end(),
                                   [&, t = time](const auto& point) { return point.time.si() <= t + 1e-9; });
    ASSERT_NE(next, curve.end());
    // The piece from `next` to the slower neighbour has the slope that is given at the latter.
    const double slope = next == curve.begin() ? 0.0 : (next - 1)->slope.si();
    const double exact = next->effective_energy.si() - slope * (time - next->time.si());
    EXPECT_NEAR(exact, energy, 1e-5 * energy) << "at " << time;
  }
}

INSTANTIATE_TEST_SUITE_P(PerseusBench, ExponentialInput, testing::Values("exp_s2_m8_u10ms", "exp_s4_m8_u10ms"),
                         [](const auto& info) { return info.param; });

// With measured times the fastest pipeline is later than the reference's, whose times are rounded down, by less than
// one unit per instruction of a longest path.
TEST(PiecewiseInput, DiffersFromTheReferenceByItsRoundedTimesOnly) {
  const InstructionProfile profile = profile_of("pwl_s4_m8_u5ms");
  InstructionFrontierOptions options = default_options(profile);
  options.full = true;
  options.verify = true;
  const auto frontier = solve_instruction_frontier({profile}, options);
  ASSERT_TRUE(frontier) << frontier.error().to_string();
  const auto rows = reference_rows("pwl_s4_m8_u5ms");
  const double longest_path = 2 * (8 + 4 - 1);
  const double unit = 0.005;
  EXPECT_GE(frontier->curve.back().time.si(), rows.back().first);
  EXPECT_LE(frontier->curve.back().time.si(), rows.back().first + longest_path * unit);
  EXPECT_EQ(frontier->certified, frontier->curve.size());
  for (const InstructionPoint& point : frontier->points) {
    EXPECT_GE(point.gap(), -1e-12);
    EXPECT_LE(point.gap(), 0.02);
  }
}

}  // namespace
}  // namespace kareus::planner
