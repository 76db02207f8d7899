#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "search/multi_pass.hpp"
#include "spaces.hpp"

namespace kareus::search {
namespace {

using testing::candidates;
using testing::evaluate;
using testing::evaluate_all;
using testing::grid;
using testing::run;
using testing::small_options;

std::vector<Suggestion> run_grid(const Space& space, const MultiPassOptions& options, double time_unit = 1.0) {
  auto optimizer = make_multi_pass(space, options).value();
  return run(*optimizer, [&](std::size_t i) {
    Objectives objectives = evaluate(space, i);
    objectives.time *= time_unit;
    return std::optional(objectives);
  });
}

bool all_distinct(const std::vector<Suggestion>& order) {
  const auto ids = candidates(order);
  return std::set<std::size_t>(ids.begin(), ids.end()).size() == ids.size();
}

TEST(MultiPass, SpendsItsBudgetOnDistinctCandidatesAndEveryPass) {
  const auto order = run_grid(grid(8, 6, 3), small_options());
  EXPECT_EQ(order.size(), 16U + 3U * 10U);
  EXPECT_TRUE(all_distinct(order));
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i].pass == Pass::initial, i < 16);
  std::set<Pass> passes;
  for (const Suggestion& s : order) passes.insert(s.pass);
  EXPECT_EQ(passes.size(), 5U);
}

TEST(MultiPass, IsAFunctionOfTheSeed) {
  const Space space = grid(8, 6, 3);
  const auto first = candidates(run_grid(space, small_options(1)));
  EXPECT_EQ(candidates(run_grid(space, small_options(1))), first);
  EXPECT_NE(candidates(run_grid(space, small_options(2))), first);
}

TEST(MultiPass, SuggestsTheSameWhateverTheUnitOfTime) {
  const Space space = grid(8, 6, 3);
  const auto seconds = candidates(run_grid(space, small_options()));
  for (const double unit : {1e3, 1e6}) {
    MultiPassOptions options = small_options();
    options.static_power /= unit;
    EXPECT_EQ(candidates(run_grid(space, options, unit)), seconds) << unit;
  }
}

TEST(MultiPass, TwoThreadsFindWhatOneFinds) {
  const Space space = grid(8, 6, 3);
  const auto expected = candidates(run_grid(space, small_options(1)));
  const auto expected_other = candidates(run_grid(space, small_options(2)));
  std::vector<std::size_t> found;
  std::thread thread([&] { found = candidates(run_grid(space, small_options(1))); });
  const auto found_other = candidates(run_grid(space, small_options(2)));
  thread.join();
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found_other, expected_other);
}

TEST(MultiPass, AsksForWhatHasNotBeenTold) {
  const Space space = grid(8, 6, 3);
  auto optimizer = make_multi_pass(space, small_options()).value();
  const auto batch = optimizer->ask().value();
  EXPECT_EQ(candidates(optimizer->ask().value()), candidates(batch));
  const std::vector<Suggestion> part(batch.begin() + 3, batch.begin() + 7);
  ASSERT_TRUE(optimizer->tell(evaluate_all(space, part)));
  std::vector<Suggestion> rest = batch;
  rest.erase(rest.begin() + 3, rest.begin() + 7);
  EXPECT_EQ(candidates(optimizer->ask().value()), candidates(rest));
}

TEST(MultiPass, EvaluationsItNeverAskedForWaitUntilItDoes) {
  const Space space = grid(8, 6, 3);
  const auto order = run_grid(space, small_options());
  auto optimizer = make_multi_pass(space, small_options()).value();
  // Told in advance: the last candidate that an undisturbed search asks for, and one that it never does.
  std::size_t never = 0;
  const auto ids = candidates(order);
  while (std::find(ids.begin(), ids.end(), never) != ids.end()) ++never;
  const std::vector<Evaluation> early = {{ids.back(), evaluate(space, ids.back())}, {never, evaluate(space, never)}};
  ASSERT_TRUE(optimizer->tell(early));
  auto rest = candidates(run(*optimizer, [&](std::size_t i) { return std::optional(evaluate(space, i)); }));
  rest.push_back(ids.back());
  EXPECT_EQ(rest, ids);
}

TEST(MultiPass, ResumesAfterAnyBatchAndInTheMiddleOfOne) {
  const Space space = grid(8, 6, 3);
  const auto order = run_grid(space, small_options());
  for (const std::size_t cut : {16U, 20U, 26U, 45U, 46U}) {
    auto optimizer = make_multi_pass(space, small_options()).value();
    ASSERT_TRUE(optimizer->tell(evaluate_all(space, {order.begin(), order.begin() + cut})));
    auto resumed = candidates(run(*optimizer, [&](std::size_t i) { return std::optional(evaluate(space, i)); }));
    EXPECT_EQ(resumed, candidates({order.begin() + cut, order.end()})) << cut;
  }
}

TEST(MultiPass, FailuresAreLeftOutAndNeverSuggestedAgain) {
  const Space space = grid(8, 6, 3);
  auto optimizer = make_multi_pass(space, small_options()).value();
  int count = 0;
  const auto order = run(*optimizer, [&](std::size_t i) -> std::optional<Objectives> {
    if (++count % 3 == 0) return std::nullopt;
    return evaluate(space, i);
  });
  EXPECT_EQ(order.size(), 46U);
  EXPECT_TRUE(all_distinct(order));
}

TEST(MultiPass, ValuesThatAreNotFiniteAreFailures) {
  const Space space = grid(8, 6, 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Objectives> broken = {{1.0, nan},  {nan, 1.0},      {0.0, 1.0},
                                          {-1.0, 1.0}, {infinity, 1.0}, {1.0, -infinity}};
  auto with_values = make_multi_pass(space, small_options()).value();
  auto with_failures = make_multi_pass(space, small_options()).value();
  const auto order = run(*with_values, [&](std::size_t i) -> std::optional<Objectives> {
    if (i % 4 == 0) return broken[i / 4 % broken.size()];
    return evaluate(space, i);
  });
  const auto expected = run(*with_failures, [&](std::size_t i) -> std::optional<Objectives> {
    if (i % 4 == 0) return std::nullopt;
    return evaluate(space, i);
  });
  EXPECT_EQ(order.size(), 46U);
  EXPECT_EQ(candidates(order), candidates(expected));
}

TEST(MultiPass, AnInitialDesignOfFailuresIsAnError) {
  const Space space = grid(8, 6, 3);
  auto optimizer = make_multi_pass(space, small_options()).value();
  const auto order = run(*optimizer, [](std::size_t) { return std::optional<Objectives>(); });
  EXPECT_EQ(order.size(), 16U);
  const auto batch = optimizer->ask();
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code, ErrorCode::bad_input);
  EXPECT_THAT(batch.error().to_string(), ::testing::HasSubstr("all 16 evaluations"));
  EXPECT_EQ(optimizer->finished(), std::nullopt);
}

TEST(MultiPass, ConstantObjectivesDoNotStopIt) {
  const Space space = grid(6, 6, 2);
  auto optimizer = make_multi_pass(space, small_options()).value();
  const auto order = run(*optimizer, [](std::size_t) { return std::optional(Objectives{0.5, 2.0}); });
  EXPECT_EQ(order.size(), 46U);
  EXPECT_TRUE(all_distinct(order));
}

TEST(MultiPass, NegativeDynamicEnergyIsAcceptable) {
  const Space space = grid(8, 6, 3);
  auto optimizer = make_multi_pass(space, small_options()).value();
  const auto order = run(*optimizer, [&](std::size_t i) {
    Objectives objectives = evaluate(space, i);
    objectives.energy -= 2.0;
    return std::optional(objectives);
  });
  EXPECT_EQ(order.size(), 46U);
}

TEST(MultiPass, ConvergesWhenTwoBatchesGainNothing) {
  MultiPassOptions options = small_options();
  options.batches = 8;
  options.convergence_threshold = 1e-3;
  const Space space = grid(8, 8, 3);
  auto optimizer = make_multi_pass(space, options).value();
  const auto order = run(*optimizer, [](std::size_t) { return std::optional(Objectives{0.5, 2.0}); });
  EXPECT_EQ(optimizer->finished(), "converged");
  EXPECT_EQ(order.size(), 16U + 2U * 10U);
}

TEST(MultiPass, ABudgetBeyondTheSpaceExhaustsIt) {
  const Space space = grid(3, 3, 2);
  auto optimizer = make_multi_pass(space, small_options()).value();
  const auto order = run(*optimizer, [&](std::size_t i) { return std::optional(evaluate(space, i)); });
  EXPECT_EQ(order.size(), 18U);
  EXPECT_TRUE(all_distinct(order));
  EXPECT_EQ(optimizer->finished(), "exhausted");
  EXPECT_TRUE(optimizer->ask().value().empty());
}

TEST(MultiPass, OneConfigurationIsASpace) {
  const Space space = grid(1, 1, 1);
  auto optimizer = make_multi_pass(space, {}).value();
  EXPECT_EQ(run(*optimizer, [&](std::size_t i) { return std::optional(evaluate(space, i)); }).size(), 1U);
  EXPECT_EQ(optimizer->finished(), "exhausted");
}

TEST(MultiPass, EqualRowsAreCandidatesOfTheirOwn) {
  const Space space{.features = {"x"}, .rows = std::vector<std::vector<double>>(40, {1.0})};
  auto optimizer = make_multi_pass(space, small_options()).value();
  const auto order = run(*optimizer, [](std::size_t i) {
    return std::optional(Objectives{1.0 + 0.01 * static_cast<double>(i), 1.0});
  });
  EXPECT_EQ(order.size(), 40U);
  EXPECT_TRUE(all_distinct(order));
}

TEST(MultiPass, RejectsWhatCannotBeTold) {
  const Space space = grid(8, 6, 3);
  auto optimizer = make_multi_pass(space, small_options()).value();
  const auto batch = optimizer->ask().value();
  const auto all = evaluate_all(space, batch);
  ASSERT_TRUE(optimizer->tell(std::span(all).first(4)));
  EXPECT_TRUE(optimizer->tell(std::span(all).first(4))) << "the same again";
  const auto unknown = optimizer->tell(std::vector<Evaluation>{all[5], {space.rows.size(), Objectives{1, 1}}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::bad_input);
  EXPECT_FALSE(optimizer->tell(std::vector<Evaluation>{{all[0].candidate, Objectives{1, 1}}})) << "another result";
  EXPECT_EQ(optimizer->ask().value().size(), 12U) << "a rejected call leaves nothing behind";
}

TEST(MultiPass, RejectsOptionsThatMakeNoSense) {
  MultiPassOptions options = small_options();
  options.initial = 0;
  options.total_share = 0.9;
  options.ensemble = 0;
  options.static_power = std::numeric_limits<double>::quiet_NaN();
  const auto optimizer = make_multi_pass(grid(2, 2, 2), options);
  ASSERT_FALSE(optimizer);
  EXPECT_EQ(optimizer.error().code, ErrorCode::bad_input);
  EXPECT_EQ(optimizer.error().problems.size(), 4U);
  EXPECT_FALSE(make_multi_pass({}, {}));
  EXPECT_FALSE(make_random({}, 3, 1));
}

class BrokenSurrogate final : public Surrogate {
 public:
  Result<void> fit(const FeatureMatrix&, std::span<const double>, std::uint64_t) override {
    return fail(ErrorCode::internal, "out of order");
  }
  Result<std::vector<double>> predict(const FeatureMatrix&) const override {
    return fail(ErrorCode::internal, "never fitted");
  }
};

TEST(MultiPass, PassesOnAFailureOfItsSurrogates) {
  const Space space = grid(8, 6, 3);
  const auto make_broken = [] { return std::make_unique<BrokenSurrogate>(); };
  auto optimizer = make_multi_pass_with(space, small_options(), make_broken).value();
  ASSERT_TRUE(optimizer->tell(evaluate_all(space, optimizer->ask().value())));
  const auto batch = optimizer->ask();
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().to_string(), "out of order");
}

TEST(RandomSearch, DrawsItsBudgetWithoutRepetition) {
  const Space space = grid(8, 6, 3);
  auto optimizer = make_random(space, 50, 3).value();
  const auto order = run(*optimizer, [&](std::size_t i) { return std::optional(evaluate(space, i)); });
  EXPECT_EQ(order.size(), 50U);
  EXPECT_TRUE(all_distinct(order));
  EXPECT_EQ(optimizer->finished(), "budget");
  auto again = make_random(space, 50, 3).value();
  EXPECT_EQ(candidates(again->ask().value()), candidates(order));
  EXPECT_NE(candidates(make_random(space, 50, 4).value()->ask().value()), candidates(order));
}

TEST(RandomSearch, StopsWhenTheSpaceIsExhausted) {
  const Space space = grid(2, 2, 2);
  auto optimizer = make_random(space, 50, 3).value();
  EXPECT_EQ(run(*optimizer, [&](std::size_t i) { return std::optional(evaluate(space, i)); }).size(), 8U);
  EXPECT_EQ(optimizer->finished(), "exhausted");
}

}  // namespace
}  // namespace kareus::search
