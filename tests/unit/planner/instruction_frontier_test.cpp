#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profile_support.hpp"

namespace kareus::planner {
namespace {

using pipeline::OperationKind;
using ::testing::HasSubstr;

InstructionFrontierOptions quick(const InstructionProfile& profile) {
  InstructionFrontierOptions options = default_options(profile);
  options.points = 5;
  return options;
}

std::string error_of(const InstructionProfile& profile, const InstructionFrontierOptions& options) {
  const auto frontier = solve_instruction_frontier({profile}, options);
  return frontier ? "" : frontier.error().to_string();
}

/// The profile with other units of energy.
InstructionProfile scaled(InstructionProfile profile, double factor) {
  for (auto& [name, options] : profile.instructions) {
    for (ProfileOption& option : options) option.energy *= factor;
  }
  profile.settings.static_power = *profile.settings.static_power * factor;
  return profile;
}

TEST(InstructionFrontier, PointsAreCertifiedOrderedAndNeverBelowTheCurve) {
  const InstructionProfile profile = test_profile("edge_base.json");
  InstructionFrontierOptions options = quick(profile);
  options.verify = true;
  const InstructionFrontier frontier = solved(profile, options);
  EXPECT_EQ(frontier.certified, frontier.curve.size());
  ASSERT_GE(frontier.points.size(), 3U);
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    const InstructionPoint& point = frontier.points[i];
    EXPECT_TRUE(point.certificate.optimal());
    EXPECT_NEAR(point.certificate.primal, point.curve_effective.si(), 1e-6);
    EXPECT_GE(point.gap(), -1e-12);
    EXPECT_LT(point.gap(), 0.01);
    EXPECT_NEAR(point.time / point.curve_time, 1, 1e-9);
    if (i > 0) {
      EXPECT_GT(point.time, frontier.points[i - 1].time);
      EXPECT_LT(point.energy(), frontier.points[i - 1].energy());
    }
  }
  // Slower than this costs total energy: two stages at 70 W.
  EXPECT_GE(frontier.curve.front().slope, Watts(140));
}

TEST(InstructionFrontier, RealisedCostsAreThoseOfTheChosenOptions) {
  const InstructionProfile profile = test_profile("edge_base.json");
  const InstructionFrontier frontier = solved(profile, quick(profile));
  const auto dag = pipeline::build_dag(frontier.order).value();
  for (const InstructionPoint& point : frontier.points) {
    std::vector<Seconds> durations(dag.size());
    Joules measured;
    Seconds busy;
    for (std::size_t stage = 0; stage < frontier.order.size(); ++stage) {
      for (std::size_t i = 0; i < frontier.order[stage].size(); ++i) {
        const ProfileOption& option = frontier.options_at(stage, i)[point.choices[stage][i]];
        durations[dag.node_at[stage][i]] = option.time;
        measured += option.energy;
        busy += option.time;
      }
    }
    EXPECT_NEAR(pipeline::earliest_times(dag, durations).makespan.si(), point.time.si(), 1e-12);
    const double total = (measured + Watts(70) * (point.time * 2.0 - busy)).si();
    EXPECT_NEAR(point.energy().si(), total, 1e-9 * total);
  }
}

TEST(InstructionFrontier, TheUnitOfEnergyChangesNothing) {
  const InstructionProfile joules = test_profile("edge_base.json");
  const InstructionFrontier base = solved(joules, quick(joules));
  const auto expect_same = [&](const InstructionProfile& profile, double factor) {
    const InstructionFrontier other = solved(profile, quick(profile));
    ASSERT_EQ(other.curve.size(), base.curve.size()) << factor;
    for (std::size_t i = 0; i < base.curve.size(); ++i) {
      EXPECT_NEAR(other.curve[i].time / base.curve[i].time, 1, 1e-9);
      EXPECT_NEAR(other.curve[i].effective_energy / base.curve[i].effective_energy / factor, 1, 1e-9);
    }
    ASSERT_EQ(other.points.size(), base.points.size());
    for (std::size_t i = 0; i < base.points.size(); ++i) {
      EXPECT_NEAR(other.points[i].energy() / base.points[i].energy() / factor, 1, 1e-6);
    }
  };
  expect_same(test_profile("edge_scale1e3_mJ.json"), 1e3);
  expect_same(test_profile("edge_k3e-06.json"), 3e-6);
  for (const double factor : {1e-9, 1e-5, 3e3, 1e5, 1e9}) expect_same(scaled(joules, factor), factor);
}

TEST(InstructionFrontier, OneClockIsOnePointAndTwoClocksAreACurve) {
  const InstructionProfile one = test_profile("edge_one_freq.json");
  const InstructionFrontier point = solved(one, quick(one));
  ASSERT_EQ(point.points.size(), 1U);
  EXPECT_EQ(point.curve.size(), 1U);
  EXPECT_NEAR(point.points[0].gap(), 0, 1e-12);
  // 1F1B of 2 stages and 4 microbatches: no wait on the second stage after its first forward.
  const double expected = 0.10307 + 4 * (0.1130022 + 0.2958318) + 0.26983;
  EXPECT_NEAR(point.points[0].time.si(), expected, 1e-9);
  for (const char* file : {"edge_two_freqs.json", "edge_exp_two_freqs.json", "edge_one_freq_stage1.json",
                           "edge_unit200ms.json", "edge_noisy.json"}) {
    const InstructionProfile profile = test_profile(file);
    const InstructionFrontier frontier = solved(profile, quick(profile));
    EXPECT_GE(frontier.points.size(), 2U) << file;
    EXPECT_GE(frontier.curve.size(), 2U) << file;
  }
}

TEST(InstructionFrontier, TheExponentialModelNamesInstructionsWithTooFewClocks) {
  const InstructionProfile profile = test_profile("edge_exp_two_freqs.json");
  InstructionFrontierOptions options = quick(profile);
  options.cost_model = CostModel::exponential;
  const std::string text = error_of(profile, options);
  for (const char* name : {"stage 0 forward", "stage 0 backward", "stage 1 forward", "stage 1 backward"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

TEST(InstructionFrontier, SaysWhatIsDoubtful) {
  const InstructionProfile profile = test_profile("edge_noisy.json");
  InstructionFrontierOptions options = quick(profile);
  EXPECT_TRUE(any_contains(solved(profile, options).notes, "lie above the convex hull"));
  options.static_power = Watts(1000);
  const InstructionFrontier frontier = solved(profile, options);
  EXPECT_TRUE(any_contains(frontier.notes, "the static power is above the measured power"));
  EXPECT_FALSE(frontier.points.empty());
}

TEST(InstructionFrontier, RequestsAreServedOrRefused) {
  const InstructionProfile profile = test_profile("edge_base.json");
  InstructionFrontierOptions options = quick(profile);
  const InstructionFrontier all = solved(profile, options);
  const Seconds fastest = all.curve.back().time;

  options.request = AtTime{.value = 1.1, .of_fastest = true};
  const InstructionPoint deadline = solved(profile, options).points.at(0);
  EXPECT_LE(deadline.time, fastest * (1.1 * (1 + 1e-9)));
  EXPECT_LT(deadline.energy(), all.points.front().energy());

  options.request = AtEnergy{deadline.energy() * 1.001};
  const InstructionPoint budget = solved(profile, options).points.at(0);
  EXPECT_LE(budget.energy(), deadline.energy() * 1.001 * (1 + 1e-9));
  EXPECT_LE(budget.time, deadline.time * 1.02);

  options.request = AtTime{.value = fastest.si() * 0.99};
  auto refused = solve_instruction_frontier({profile}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::infeasible);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("the fastest takes"));
  options.request = AtEnergy{all.points.back().energy() * 0.9};
  refused = solve_instruction_frontier({profile}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::infeasible);
}

// T_opt = min(T*, max(T, T_min)), with the static energy until the straggler ends counted.
TEST(InstructionFrontier, FollowsTheStragglerRule) {
  const InstructionProfile profile = test_profile("edge_base.json");
  InstructionFrontierOptions options = quick(profile);
  options.full = true;
  const InstructionFrontier all = solved(profile, options);
  const Seconds fastest = all.curve.back().time;
  const Seconds slowest = all.curve.front().time;
  for (const double time : {0.5 * fastest.si(), 2.5, 3.0, 100.0}) {
    options.request = AtStraggler{Seconds(time)};
    const InstructionPoint point = solved(profile, options).points.at(0);
    EXPECT_NEAR(point.curve_time.si(), std::min(slowest.si(), std::max(time, fastest.si())), 1e-12);
    EXPECT_NEAR(point.static_energy.si(), 140 * std::max(time, point.time.si()), 1e-6);
  }
}

TEST(InstructionFrontier, ASlowReplicaSlowsTheOtherDown) {
  const InstructionProfile quick_pipeline = test_profile("edge_base.json");
  InstructionProfile slow = quick_pipeline;
  for (auto& [name, options] : slow.instructions) {
    for (ProfileOption& option : options) option.time *= 1.2;
  }
  const InstructionFrontierOptions options = quick(quick_pipeline);
  const auto group = solve_instruction_frontier({quick_pipeline, slow}, options);
  ASSERT_TRUE(group) << group.error().to_string();
  EXPECT_EQ(group->stages(), 4);
  EXPECT_EQ(group->pipeline_of(3), std::pair(std::size_t{1}, 1));
  const InstructionFrontier alone = solved(slow, options);
  EXPECT_NEAR(group->curve.back().time / alone.curve.back().time, 1, 1e-9);
  // In the fastest plan the quick pipeline saves energy while it would wait.
  InstructionFrontierOptions straggler = options;
  straggler.request = AtStraggler{group->curve.back().time};
  const InstructionFrontier waiting = solved(quick_pipeline, straggler);
  const double apart = alone.curve.back().effective_energy.si() + waiting.points[0].curve_effective.si();
  EXPECT_NEAR(group->curve.back().effective_energy.si(), apart, 1e-6 * apart);
}

// 240,000 instructions: certified points from the steady state, next faster clocks.
TEST(InstructionFrontier, LongPipelinesAreSolvedByTheirSteadyState) {
  const InstructionProfile profile = test_profile("edge_base.json");
  InstructionFrontierOptions options = quick(profile);
  options.microbatches = 60'000;
  options.points = 3;
  const InstructionFrontier frontier = solved(profile, options);
  ASSERT_EQ(frontier.points.size(), 3U);
  EXPECT_TRUE(any_contains(frontier.notes, "a long pipeline: 3 certified points"));
  for (const InstructionPoint& point : frontier.points) {
    EXPECT_TRUE(point.certificate.optimal());
    EXPECT_GE(point.gap(), -1e-12);
    EXPECT_LT(point.gap(), 0.01);
    EXPECT_LE(point.time, point.curve_time * (1 + 1e-9));
    ASSERT_EQ(point.choices.size(), 2U);
    EXPECT_EQ(point.choices[0].size(), 120'000U);
  }
  EXPECT_GT(frontier.points[1].clock_switches, 0);
  options.request = AtTime{.value = frontier.points[1].time.si()};
  EXPECT_EQ(solved(profile, options).points.at(0).time, frontier.points[1].time);
}

TEST(InstructionFrontier, NamesWhatAScheduleNeedsAndTheProfileLacks) {
  const InstructionProfile profile = test_profile("edge_two_freqs.json");
  InstructionFrontierOptions options = quick(profile);
  options.schedule = "zb-h1";
  EXPECT_THAT(error_of(profile, options), HasSubstr("stage 1 weight_gradient has no rows"));
  options.schedule = "interleave";
  EXPECT_THAT(error_of(profile, options), HasSubstr("interleaved"));
  options.schedule = "interleaved";
  options.chunks = 2;
  options.microbatches = 3;
  EXPECT_NE(error_of(profile, options), "");
  options.microbatches = 4;
  EXPECT_TRUE(any_contains(solved(profile, options).notes, "does not tell chunks apart"));
  options = quick(profile);
  options.schedule = "early-recompute";
  EXPECT_TRUE(any_contains(solved(profile, options).notes, "no rows of recompute"));
  options.order = pipeline::gpipe(3, 2);
  EXPECT_THAT(error_of(profile, options), HasSubstr("the order has 3 stages, the profile has 2"));
  options.order = pipeline::gpipe(2, 2);
  EXPECT_EQ(solved(profile, options).schedule, "order");
}

TEST(InstructionFrontier, FixedTimesDelayAndBadOptionsAreNamed) {
  const InstructionProfile profile = test_profile("edge_two_freqs.json");
  InstructionFrontierOptions options = quick(profile);
  const Seconds plain = solved(profile, options).curve.back().time;
  options.fixed = {.transfer = Seconds(0), .gradient_reduction = Seconds(0.3), .optimizer_step = Seconds(0.2)};
  EXPECT_NEAR(solved(profile, options).curve.back().time.si(), plain.si() + 0.5, 1e-9);
  options.fixed.transfer = Seconds(std::nan(""));
  options.microbatches = 0;
  options.points = 0;
  options.static_power = Watts(-1);
  const auto refused = solve_instruction_frontier({profile}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_EQ(refused.error().problems.size(), 4U);
}

}  // namespace
}  // namespace kareus::planner
