#include <gtest/gtest.h>

#include "kareus/frontier.hpp"

namespace kareus::frontier {
namespace {

std::vector<Cost> costs(std::initializer_list<std::pair<double, double>> values) {
  std::vector<Cost> result;
  for (const auto& [time, energy] : values) result.push_back({Seconds(time), Joules(energy)});
  return result;
}

TEST(ParetoFront, IsEmptyForNothing) {
  EXPECT_TRUE(pareto_front({}).empty());
}

TEST(ParetoFront, KeepsWhatNothingDominates) {
  EXPECT_EQ(pareto_front(costs({{3, 1}, {1, 3}, {2, 2}, {2.5, 2.5}, {1, 4}, {4, 1}})),
            (std::vector<std::size_t>{1, 2, 0}));
}

TEST(ParetoFront, KeepsTheFirstOfEqualCosts) {
  EXPECT_EQ(pareto_front(costs({{2, 5}, {1, 7}, {1, 7}, {2, 5}})), (std::vector<std::size_t>{1, 0}));
}

TEST(ParetoFront, AcceptsNegativeEffectiveEnergy) {
  EXPECT_EQ(pareto_front(costs({{1, -1}, {2, -3}, {3, -2}})), (std::vector<std::size_t>{0, 1}));
}

TEST(IterationEnergy, AddsStaticEnergyOfEveryStage) {
  const IterationEnergy energy = iteration_energy(Joules(1000), 4, Watts(85), Seconds(2.5));
  EXPECT_DOUBLE_EQ(energy.static_energy.si(), 850);
  EXPECT_DOUBLE_EQ(energy.dynamic_energy.si(), 1000);
  EXPECT_DOUBLE_EQ(energy.total.si(), 1850);
}

}  // namespace
}  // namespace kareus::frontier
