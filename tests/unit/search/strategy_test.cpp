#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kareus/table.hpp"
#include "spaces.hpp"

namespace kareus::search {
namespace {

using testing::candidates;
using testing::evaluate;
using testing::grid;

const Space& space() {
  static const Space result = grid(8, 6, 3);
  return result;
}

std::unique_ptr<Optimizer> adaptive(std::size_t budget, const Space& over = space(), bool repeats = false) {
  return make_strategy("adaptive", over, {.budget = budget, .static_power = 85.0, .seed = 3, .repeats = repeats})
      .value();
}

std::vector<Suggestion> searched(Optimizer& optimizer) {
  return testing::run(optimizer, [](std::size_t candidate) { return std::optional(evaluate(space(), candidate)); });
}

double share_found(const std::vector<Suggestion>& order) {
  std::vector<Objectives> all;
  for (std::size_t i = 0; i < space().rows.size(); ++i) all.push_back(evaluate(space(), i));
  std::vector<Objectives> found;
  for (const Suggestion& s : order) found.push_back(all[s.candidate]);
  Objectives worst;
  for (const Objectives& point : all) worst = {std::max(worst.time, point.time), std::max(worst.energy, point.energy)};
  return hypervolume(found, worst) / hypervolume(all, worst);
}

TEST(Strategies, AreMadeByName) {
  for (const std::string& name : strategy_names()) {
    auto optimizer = make_strategy(name, space(), {.budget = 30}).value();
    const auto order = searched(*optimizer);
    EXPECT_EQ(order.size(), 30) << name;
    EXPECT_EQ(optimizer->finished(), "budget") << name;
    EXPECT_EQ(optimizer->estimates().value().size(), 30) << name;
  }
  const auto unknown = make_strategy("adaptve", space(), {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::usage);
  EXPECT_THAT(unknown.error().to_string(), ::testing::HasSubstr("did you mean 'adaptive'"));
}

TEST(Adaptive, FindsTheFrontWithAThirdOfWhatRandomNeeds) {
  auto ours = adaptive(36);
  auto random = make_random(space(), 108, 3).value();
  EXPECT_GT(share_found(searched(*ours)), share_found(searched(*random)));
}

TEST(Adaptive, ASmallBudgetHasFewFirstPointsAndSmallBatches) {
  struct Case {
    std::size_t budget, first, next;
  };
  for (const Case& one : {Case{8, 4, 1}, Case{43, 5, 2}, Case{84, 10, 4}, Case{120, 12, 4}}) {
    auto optimizer = adaptive(one.budget);
    const auto first = optimizer->ask().value();
    EXPECT_EQ(first.size(), one.first) << one.budget;
    ASSERT_TRUE(optimizer->tell(testing::evaluate_all(space(), first)));
    EXPECT_EQ(optimizer->ask()->size(), one.next) << one.budget;
  }
}

TEST(Adaptive, MeasuresWhatIsCloseToTheFrontWhenNothingBetterIsExpected) {
  // The best tenth of the space is a plateau with a ripple; all else is worse by far, and by ever more.
  constexpr int kSizes = 10;
  constexpr int kLimits = 6;
  Space sizes{.features = {"size", "limit"}, .rows = {}};
  for (int size = 0; size < kSizes; ++size) {
    for (int limit = 0; limit < kLimits; ++limit) sizes.rows.push_back({std::exp2(size), 100.0 + 25.0 * limit});
  }
  const auto measured = [](std::size_t candidate) {
    const auto size = static_cast<double>(candidate / kLimits);
    const double ripple = 1.0 + 0.002 * std::sin(static_cast<double>(candidate) * 12.9898);
    const double time = 4000.0 * std::exp2(-size) * ripple;
    return std::optional(Objectives{.time = time, .energy = 40.0 * time * ripple});
  };
  const auto order = testing::run(*make_adaptive(sizes, {.budget = 20, .seed = 3}).value(), measured);
  const auto best = std::count_if(order.begin(), order.end(),
                                  [](const Suggestion& one) { return one.candidate / kLimits == kSizes - 1; });
  EXPECT_EQ(best, kLimits);
}

TEST(Adaptive, SuggestsNothingTwiceWhileAnyNumberIsOutstanding) {
  auto optimizer = adaptive(100);
  std::set<std::size_t> seen;
  std::vector<Suggestion> outstanding;
  for (int round = 0; round < 12; ++round) {
    const auto more = optimizer->ask_more(7).value();
    for (const Suggestion& s : more) {
      EXPECT_TRUE(seen.insert(s.candidate).second);
      outstanding.push_back(s);
    }
    for (int i = 0; i < 4 && !outstanding.empty(); ++i) {
      const std::size_t candidate = outstanding.front().candidate;
      outstanding.erase(outstanding.begin());
      const Evaluation evaluation{candidate, evaluate(space(), candidate)};
      ASSERT_TRUE(optimizer->tell(std::span(&evaluation, 1)));
    }
  }
  EXPECT_EQ(seen.size(), 84);
  EXPECT_EQ(optimizer->ask_more(50).value().size(), 16);  // what the budget leaves
  EXPECT_TRUE(optimizer->ask_more(5).value().empty());
}

TEST(Adaptive, WhatIsOutstandingDependsOnTheSetOfEvaluationsOnly) {
  std::vector<Evaluation> told;
  for (std::size_t i = 0; i < space().rows.size(); i += 5) told.push_back({i, evaluate(space(), i)});
  auto one = adaptive(100);
  ASSERT_TRUE(one->tell(told));
  auto other = adaptive(100);
  std::reverse(told.begin(), told.end());
  for (const Evaluation& evaluation : told) ASSERT_TRUE(other->tell(std::span(&evaluation, 1)));
  EXPECT_EQ(candidates(one->ask_more(6).value()), candidates(other->ask_more(6).value()));
}

TEST(Adaptive, OneConfigurationAndABudgetBeyondTheSpaceEnd) {
  for (const std::string& name : strategy_names()) {
    const Space single = grid(1, 1, 1);
    auto optimizer = make_strategy(name, single, {.budget = 10}).value();
    const auto order = testing::run(*optimizer, [](std::size_t) { return std::optional(Objectives{1.0, 1.0}); });
    EXPECT_EQ(order.size(), 1) << name;
    EXPECT_EQ(optimizer->finished(), "exhausted") << name;
  }
  auto optimizer = adaptive(1000);
  EXPECT_EQ(searched(*optimizer).size(), space().rows.size());
  EXPECT_EQ(optimizer->finished(), "exhausted");
}

TEST(Adaptive, EverythingFailingIsAClearError) {
  auto optimizer = adaptive(100);
  const auto order = testing::run(*optimizer, [](std::size_t) { return std::optional<Objectives>(); });
  EXPECT_LE(order.size(), 24);
  const auto more = optimizer->ask();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::bad_input);
  EXPECT_THAT(more.error().to_string(), ::testing::HasSubstr("failed"));
  EXPECT_TRUE(optimizer->estimates().value().empty());
}

TEST(Adaptive, EveryThirdFailingStillFindsTheFront) {
  auto optimizer = adaptive(48);
  int count = 0;
  const auto order = testing::run(*optimizer, [&](std::size_t candidate) {
    return ++count % 3 == 0 ? std::nullopt : std::optional(evaluate(space(), candidate));
  });
  EXPECT_EQ(order.size(), 48);
  EXPECT_EQ(optimizer->estimates().value().size(), 32);
}

TEST(Adaptive, BadObjectivesNeverReachTheEstimates) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Objectives> bad = {{nan, 1.0}, {1.0, nan},  {infinity, 1.0},
                                       {0.0, 1.0}, {-1.0, 1.0}, {1.0, -infinity}};
  auto optimizer = adaptive(60);
  std::size_t bad_told = 0;
  const auto order = testing::run(*optimizer, [&](std::size_t candidate) {
    return std::optional(candidate % 4 == 0 ? bad[bad_told++ % bad.size()] : evaluate(space(), candidate));
  });
  EXPECT_EQ(order.size(), 60);
  EXPECT_GT(bad_told, 0);
  const auto estimates = optimizer->estimates().value();
  for (const Estimate& one : estimates) EXPECT_NE(one.candidate % 4, 0);
}

TEST(Adaptive, ConstantObjectivesFillTheSpaceInsteadOfFailing) {
  for (const double energy : {0.0, -3.0, 5.0}) {
    auto optimizer = adaptive(40);
    const auto order = testing::run(*optimizer, [&](std::size_t) { return std::optional(Objectives{2.0, energy}); });
    EXPECT_EQ(order.size(), 40) << energy;
  }
}

TEST(Adaptive, DuplicateRowsAreCandidatesOfTheirOwn) {
  Space doubled = grid(4, 3, 2);
  const auto rows = doubled.rows;
  doubled.rows.insert(doubled.rows.end(), rows.begin(), rows.end());
  auto optimizer = adaptive(40, doubled);
  const auto order = testing::run(*optimizer, [&](std::size_t c) { return std::optional(evaluate(doubled, c)); });
  EXPECT_EQ(order.size(), 40);
}

TEST(Adaptive, ALowerBoundIsNoMeasurementAndIsNotAskedAgain) {
  auto optimizer = adaptive(40);
  std::set<std::size_t> censored;
  std::set<std::size_t> seen;
  while (!optimizer->finished()) {
    const auto batch = optimizer->ask().value();
    for (const Suggestion& s : batch) {
      EXPECT_TRUE(seen.insert(s.candidate).second);
      Evaluation evaluation{s.candidate, evaluate(space(), s.candidate)};
      if (evaluation.objectives->time > 2.9e-3) {
        evaluation.censored = true;
        evaluation.objectives->time = 2.9e-3;
        censored.insert(s.candidate);
      }
      ASSERT_TRUE(optimizer->tell(std::span(&evaluation, 1)));
    }
  }
  EXPECT_FALSE(censored.empty());
  const auto estimates = optimizer->estimates().value();
  for (const Estimate& one : estimates) EXPECT_EQ(censored.count(one.candidate), 0);
}

TEST(Adaptive, RepeatsAreToldApartAndCombined) {
  auto optimizer = adaptive(40);
  const std::vector<Evaluation> told = {{.candidate = 1, .objectives = Objectives{1.0, 2.0}, .repeat = 0},
                                        {.candidate = 1, .objectives = Objectives{3.0, 4.0}, .repeat = 1}};
  ASSERT_TRUE(optimizer->tell(told));
  const auto estimates = optimizer->estimates().value();
  ASSERT_EQ(estimates.size(), 1);
  EXPECT_DOUBLE_EQ(estimates[0].objectives.time, 2.0);
  const Evaluation other{.candidate = 1, .objectives = Objectives{1.5, 2.0}, .repeat = 0};
  EXPECT_FALSE(optimizer->tell(std::span(&other, 1)));
}

TEST(Adaptive, ASecondLookKeepsAnOutlierOffTheFront) {
  auto optimizer = adaptive(80, space(), true);
  std::size_t wrong = space().rows.size();
  std::size_t repeats = 0;
  while (!optimizer->finished()) {
    const auto batch = optimizer->ask().value();
    for (const Suggestion& s : batch) {
      Objectives value = evaluate(space(), s.candidate);
      if (wrong == space().rows.size() && s.pass != Pass::initial) wrong = s.candidate;
      if (s.candidate == wrong && s.repeat == 0) value.energy *= 0.5;
      repeats += s.candidate == wrong && s.repeat > 0 ? 1 : 0;
      const Evaluation evaluation{.candidate = s.candidate, .objectives = value, .repeat = s.repeat};
      ASSERT_TRUE(optimizer->tell(std::span(&evaluation, 1)));
    }
  }
  EXPECT_GE(repeats, 1);
  const auto estimates = optimizer->estimates().value();
  for (const Estimate& one : estimates) {
    if (one.candidate != wrong) continue;
    EXPECT_GT(one.objectives.energy, 0.9 * evaluate(space(), wrong).energy);
  }
}

TEST(Adaptive, StopsWhenNothingMoreIsExpected) {
  auto optimizer = make_adaptive(space(), {.budget = 144, .static_power = 85.0, .seed = 1, .stop_gain = 0.001}).value();
  const auto order = searched(*optimizer);
  EXPECT_EQ(optimizer->finished(), "converged");
  EXPECT_LT(order.size(), 100);
  EXPECT_GT(share_found(order), 0.99);
}

TEST(Adaptive, TakesWhatAnEarlierSearchKnows) {
  std::vector<Evaluation> earlier;
  for (std::size_t i = 0; i < space().rows.size(); i += 3) {
    Objectives value = evaluate(space(), i);
    earlier.push_back({i, Objectives{3.0 * value.time, 2.0 * value.energy}});
  }
  auto optimizer =
      make_adaptive(space(), {.budget = 24, .static_power = 85.0, .seed = 1, .prior = std::pair(space(), earlier)})
          .value();
  const double with = share_found(searched(*optimizer));
  auto alone = make_adaptive(space(), {.budget = 24, .static_power = 85.0, .seed = 1}).value();
  EXPECT_GE(with, share_found(searched(*alone)) - 0.01);
  earlier.front().candidate = 100000;
  EXPECT_FALSE(make_adaptive(space(), {.prior = std::pair(space(), earlier)}));
}

TEST(Adaptive, RefusesOptionsThatMakeNoSense) {
  EXPECT_FALSE(make_adaptive(space(), {.budget = 0}));
  EXPECT_FALSE(make_adaptive(space(), {.batch_size = 0}));
  EXPECT_FALSE(make_adaptive(space(), {.static_power = -1.0}));
  EXPECT_FALSE(make_adaptive(space(), {.stop_gain = 1.0}));
  EXPECT_FALSE(make_adaptive({}, {}));
}

TEST(Published, HandsItsBatchOutBitByBit) {
  auto optimizer = make_strategy("kareus", space(), {.budget = 84, .static_power = 85.0}).value();
  EXPECT_EQ(optimizer->ask_more(30).value().size(), 30);
  EXPECT_EQ(optimizer->ask_more(30).value().size(), 6);
  EXPECT_TRUE(optimizer->ask_more(30).value().empty());
}

}  // namespace
}  // namespace kareus::search
