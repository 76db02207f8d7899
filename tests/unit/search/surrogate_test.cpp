#include "search/surrogate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <thread>
#include <vector>

#include "search/label_scale.hpp"
#include "spaces.hpp"

namespace kareus::search {
namespace {

struct Data {
  FeatureMatrix x;
  std::vector<double> y;
};

Data make_data(double unit) {
  const Space space = testing::grid(10, 10, 2);
  Data data{FeatureMatrix(space), {}};
  for (std::size_t i = 0; i < space.rows.size(); ++i) data.y.push_back(testing::evaluate(space, i).time * unit);
  return data;
}

std::vector<double> fit_and_predict(const Data& data, std::uint64_t seed) {
  const auto model = make_xgboost_surrogate();
  EXPECT_TRUE(model->fit(data.x, data.y, seed));
  return model->predict(data.x).value();
}

TEST(XgboostSurrogate, FollowsItsTrainingData) {
  const Data data = make_data(1.0);
  const auto predicted = fit_and_predict(data, 1);
  double worst = 0.0;
  for (std::size_t i = 0; i < predicted.size(); ++i) worst = std::max(worst, std::abs(predicted[i] / data.y[i] - 1));
  EXPECT_LT(worst, 0.02);
  EXPECT_GT(worst, 0.0);
}

TEST(XgboostSurrogate, LearnsTheSameFromLabelsInAnyUnit) {
  const auto reference = fit_and_predict(make_data(1.0), 3);
  for (const double unit : {1e-6, 1e3, 1e6}) {
    const auto scaled = fit_and_predict(make_data(unit), 3);
    for (std::size_t i = 0; i < reference.size(); ++i) EXPECT_NEAR(scaled[i] / unit / reference[i], 1.0, 1e-12);
  }
}

TEST(XgboostSurrogate, TheSeedAloneDecidesTheRandomness) {
  const Data data = make_data(1.0);
  const auto first = fit_and_predict(data, 5);
  EXPECT_NE(fit_and_predict(data, 6), first);
  EXPECT_EQ(fit_and_predict(data, 5), first);
}

TEST(XgboostSurrogate, ConstantLabelsAreReturned) {
  Data data = make_data(1.0);
  data.y.assign(data.y.size(), 0.1);
  for (const double value : fit_and_predict(data, 1)) EXPECT_EQ(value, 0.1);
}

TEST(XgboostSurrogate, OneRowIsEnough) {
  const Data data = make_data(1.0);
  const auto model = make_xgboost_surrogate();
  ASSERT_TRUE(model->fit(data.x.select(std::array<std::size_t, 1>{4}), std::array{-3.5}, 1));
  EXPECT_THAT(model->predict(data.x).value(), ::testing::Each(-3.5));
}

TEST(XgboostSurrogate, TwoThreadsLearnTheSameAsOne) {
  const Data data = make_data(1.0);
  const auto expected = fit_and_predict(data, 9);
  const auto expected_other = fit_and_predict(data, 10);
  std::vector<double> found;
  std::vector<double> found_other;
  std::thread thread([&] {
    for (int i = 0; i < 5; ++i) found = fit_and_predict(data, 9);
  });
  for (int i = 0; i < 5; ++i) found_other = fit_and_predict(data, 10);
  thread.join();
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found_other, expected_other);
}

TEST(XgboostSurrogate, HugeFeaturesAndLabelsDoNotOverflow) {
  const Space space{.features = {"x"}, .rows = {{-1.7e308}, {0.0}, {1.7e308}, {1.6e308}}};
  const FeatureMatrix x(space);
  const auto model = make_xgboost_surrogate();
  ASSERT_TRUE(model->fit(x, std::array{-1e100, 0.0, 1e100, 1e100}, 1));
  const auto predicted = model->predict(x).value();
  for (const double value : predicted) EXPECT_TRUE(std::isfinite(value));
}

TEST(LabelScale, BringsLabelsToDeviationTenAndBack) {
  const std::vector<double> labels = {0.001, 0.002, 0.004};
  const LabelScale scale(labels);
  const auto scaled = scale.scale(labels);
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum += static_cast<double>(scaled[i]);
    squares += static_cast<double>(scaled[i]) * static_cast<double>(scaled[i]);
    EXPECT_NEAR(scale.restore(static_cast<double>(scaled[i])), labels[i], 1e-8);
  }
  EXPECT_NEAR(sum, 0.0, 1e-4);
  EXPECT_NEAR(std::sqrt(squares / 3.0), 10.0, 1e-3);
}

TEST(LabelScale, RoundingErrorsOfEqualLabelsAreNotASignal) {
  EXPECT_TRUE(LabelScale(std::vector<double>(49, 0.1)).constant());
  EXPECT_FALSE(LabelScale(std::vector<double>{1.0, 1.0 + 1e-9}).constant());
}

TEST(Space, EveryDefectIsReported) {
  const auto result = check_space({.features = {"a", "b"}, .rows = {{1, 2}, {1}, {NAN, INFINITY}}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_input);
  EXPECT_EQ(result.error().problems.size(), 3U);
  EXPECT_FALSE(check_space({}));
  EXPECT_FALSE(check_space({.features = {}, .rows = {{}}}));
}

}  // namespace
}  // namespace kareus::search
