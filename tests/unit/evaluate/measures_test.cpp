#include "evaluate/measures.hpp"

#include <gtest/gtest.h>

namespace kareus::evaluate {
namespace {

Points points(const std::vector<std::pair<double, double>>& values) {
  Points result;
  for (const auto& [time, energy] : values) {
    schedule::FrontierPoint point;
    point.time = Seconds(time);
    point.energy = Joules(energy);
    result.push_back(point);
  }
  return result;
}

TEST(Measures, CompareFrontiersAtTheirEndsAndAtEqualTimeAndEnergy) {
  const Points base = points({{10, 100}, {12, 80}});
  const Points ours = points({{8, 110}, {9, 90}, {10, 75}, {11, 60}});
  EXPECT_NEAR(time_reduction(ours, base), 20, 1e-9);
  EXPECT_NEAR(energy_reduction(ours, base), -10, 1e-9);
  EXPECT_NEAR(iso_time_energy(ours, base).value(), 25, 1e-9);
  EXPECT_NEAR(iso_energy_time(ours, base).value(), (1 - 10.0 / 12) * 100, 1e-9);
  EXPECT_EQ(iso_time_energy(points({{11, 50}}), base), std::nullopt);
  EXPECT_EQ(iso_energy_time(points({{5, 90}}), base), std::nullopt);
}

TEST(Measures, HypervolumeIsTheDominatedShareOfTheBox) {
  const Points a = points({{5, 10}, {10, 5}});
  const Corner corner = corner_of({&a});
  EXPECT_DOUBLE_EQ(corner.time.si(), 11);
  EXPECT_DOUBLE_EQ(corner.energy.si(), 11);
  EXPECT_NEAR(hypervolume(a, corner), 100.0 * (6 * 1 + 1 * 5) / 121, 1e-9);
  EXPECT_GT(hypervolume(points({{5, 5}}), corner), hypervolume(a, corner));
}

}  // namespace
}  // namespace kareus::evaluate
