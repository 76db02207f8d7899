#include <gtest/gtest.h>

#include <functional>

#include "random_pipeline.hpp"

namespace kareus::pipeline {
namespace {

/// Least energy of real options within `limit`, by trying all of them.
double best_real_energy(const RandomPipeline& pipeline, Seconds limit) {
  double best = INFINITY;
  std::vector<Seconds> durations(pipeline.dag.nodes.size());
  const std::function<void(std::size_t, double)> choose = [&](std::size_t node, double energy) {
    if (node == durations.size()) {
      if (energy < best && earliest_times(pipeline.dag, durations).makespan <= limit) best = energy;
      return;
    }
    for (const NodeOption& option : pipeline.functions[pipeline.function_of[node]]) {
      durations[node] = option.time;
      choose(node + 1, energy + option.effective_energy.si());
    }
  };
  choose(0, 0);
  return best;
}

/// Time and energy of a plan, recomputed from its choices.
void check_accounts(const RandomPipeline& pipeline, const RealPlan& plan) {
  std::vector<Seconds> durations;
  double energy = 0;
  for (std::size_t node = 0; node < pipeline.dag.nodes.size(); ++node) {
    const NodeOption& option = pipeline.functions[pipeline.function_of[node]].at(plan.choice[node]);
    durations.push_back(option.time);
    energy += option.effective_energy.si();
  }
  RC_ASSERT(plan.time == earliest_times(pipeline.dag, durations).makespan);
  RC_ASSERT(near(plan.effective_energy.si(), energy));
}

RC_GTEST_PROP(RoundingProperty, LiesBetweenTheBestRealPlanAndTheBound, ()) {
  const RandomPipeline pipeline = random_pipeline(*rc::gen::inRange(1, 6), 4, 12);
  const Curve curve = pipeline.curve();
  const Seconds time(*rc::gen::inRange(1, 60));
  const RealPlan plan = round_to_options(pipeline.dag, pipeline.function_of, pipeline.functions, curve, time);
  check_accounts(pipeline, plan);
  const Seconds limit = std::max(time, curve.fastest());
  RC_ASSERT(plan.time.si() <= limit.si() + 1e-9);
  const double best = best_real_energy(pipeline, limit + Seconds(1e-9));
  RC_ASSERT(plan.effective_energy.si() >= best - 1e-9);
  RC_ASSERT(best >= curve.at(limit).si() - 1e-9);
  if (time >= curve.slowest()) RC_ASSERT(near(plan.effective_energy.si(), best));
}

RC_GTEST_PROP(RoundingProperty, LeavesNoNodeThatCouldSaveAlone, ()) {
  const RandomPipeline pipeline = random_1f1b(3, 4, 5, 30);
  const Curve curve = pipeline.curve();
  const double part = *rc::gen::inRange(0, 1000) / 1000.0;
  const Seconds time = curve.fastest() + part * (curve.slowest() - curve.fastest());
  const RealPlan plan = round_to_options(pipeline.dag, pipeline.function_of, pipeline.functions, curve, time);
  check_accounts(pipeline, plan);
  std::vector<Seconds> durations;
  for (std::size_t node = 0; node < pipeline.dag.nodes.size(); ++node) {
    durations.push_back(pipeline.functions[pipeline.function_of[node]][plan.choice[node]].time);
  }
  for (std::size_t node = 0; node < durations.size(); ++node) {
    const auto& options = pipeline.functions[pipeline.function_of[node]];
    const NodeOption chosen = options[plan.choice[node]];
    for (const NodeOption& option : options) {
      if (option.effective_energy >= chosen.effective_energy) continue;
      durations[node] = option.time;
      RC_ASSERT(earliest_times(pipeline.dag, durations).makespan > time);
    }
    durations[node] = chosen.time;
  }
}

// Not every single plan is the best real one, which is NP-hard to find, but on average they must be close.
TEST(RoundingGap, IsSmallOnAverageAgainstAllRealPlans) {
  std::uint64_t state = 12345;
  const auto next = [&](int low, int high) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<int>((state >> 33) % static_cast<std::uint64_t>(high - low + 1));
  };
  double realised = 0;
  double best = 0;
  for (int trial = 0; trial < 200; ++trial) {
    RandomPipeline pipeline;
    pipeline.dag = *build_dag(one_forward_one_backward(2, 2));
    for (std::uint32_t node = 0; node < pipeline.dag.nodes.size(); ++node) {
      pipeline.function_of.push_back(node % 4);
    }
    for (int f = 0; f < 4; ++f) {
      auto& options = pipeline.functions.emplace_back();
      const int base = next(10, 20);
      for (int i = 0; i < 3; ++i) {  // about what clocks do: time as 1/f, energy as f^2
        const double clock = 1.0 - 0.15 * i;
        const double time = base / clock + next(0, 9) * 0.1;
        const double energy = base * 10 * clock * clock + next(0, 9) * 0.1;
        options.push_back({Seconds(time), Joules(energy)});
      }
    }
    const Curve curve = *Curve::solve(pipeline.dag, pipeline.function_of, pipeline.functions);
    const Seconds time = curve.fastest() + 0.1 * next(1, 9) * (curve.slowest() - curve.fastest());
    const RealPlan plan = round_to_options(pipeline.dag, pipeline.function_of, pipeline.functions, curve, time);
    realised += plan.effective_energy.si();
    best += best_real_energy(pipeline, time + Seconds(1e-9));
  }
  EXPECT_GE(realised, best - 1e-6);
  EXPECT_LE(realised / best, 1.005);
  RecordProperty("mean_gap_percent", std::to_string(100 * (realised / best - 1)));
}

}  // namespace
}  // namespace kareus::pipeline
