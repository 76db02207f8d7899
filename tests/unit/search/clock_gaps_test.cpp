#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "spaces.hpp"

namespace kareus::search {
namespace {

using testing::evaluate;

constexpr double kStaticPower = 85.0;

constexpr int kClocks = 48;  // so close to each other that a front hardly loses by leaving one out

Space with_clock() {
  Space space = testing::grid(kClocks, 6, 2);
  space.clock = 0;
  return space;
}

/// By how much, relative, the fastest of what was measured misses the fastest of its clock at the worst clock.
double worst_gap(const Space& space, const std::vector<Suggestion>& measured) {
  std::map<double, double> fastest;
  std::map<double, double> found;
  const auto note = [&](std::map<double, double>& times, std::size_t candidate) {
    const auto [it, is_new] = times.try_emplace(space.rows[candidate][0], std::numeric_limits<double>::infinity());
    it->second = std::min(it->second, evaluate(space, candidate).time);
  };
  for (std::size_t i = 0; i < space.rows.size(); ++i) note(fastest, i);
  for (const Suggestion& one : measured) note(found, one.candidate);
  double worst = 0.0;
  for (const auto& [clock, time] : fastest) {
    const auto ours = found.find(clock);
    worst = std::max(worst, ours == found.end() ? 1.0 : ours->second / time - 1.0);
  }
  return worst;
}

struct Searched {
  double gap = 0.0;
  std::size_t evaluations = 0;
  std::string finished;
};

Searched search(std::uint64_t seed, bool clock_gaps) {
  const Space space = with_clock();
  auto optimizer =
      make_adaptive(
          space,
          {.budget = 224, .static_power = kStaticPower, .seed = seed, .stop_gain = 1e-3, .clock_gaps = clock_gaps})
          .value();
  const auto order = testing::run(*optimizer, [&](std::size_t candidate) { return evaluate(space, candidate); });
  return {.gap = worst_gap(space, order), .evaluations = order.size(), .finished = *optimizer->finished()};
}

// Every clock of this space is on the front of dynamic energy, so none may be left without a good configuration.
TEST(ClockGaps, AreClosedBeforeTheSearchStops) {
  double worst_without = 0.0;
  std::size_t with = 0;
  std::size_t without = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Searched closed = search(seed, true);
    EXPECT_LT(closed.gap, 0.02) << seed;
    EXPECT_EQ(closed.finished, "converged");
    with += closed.evaluations;
    const Searched open = search(seed, false);
    worst_without = std::max(worst_without, open.gap);
    without += open.evaluations;
  }
  EXPECT_GT(worst_without, 0.02);
  EXPECT_LT(with, without + 3 * 2 * kClocks);
}

TEST(ClockGaps, AreReplayedFromOldEvaluations) {
  const Space space = with_clock();
  const AdaptiveOptions options{.budget = 224, .static_power = kStaticPower, .seed = 1, .stop_gain = 1e-3};
  auto first = make_adaptive(space, options).value();
  const auto order = testing::run(*first, [&](std::size_t candidate) { return evaluate(space, candidate); });
  auto second = make_adaptive(space, options).value();
  ASSERT_TRUE(second->tell(testing::evaluate_all(space, order)));
  EXPECT_EQ(second->finished(), first->finished());
  EXPECT_TRUE(second->ask()->empty());
}

}  // namespace
}  // namespace kareus::search
