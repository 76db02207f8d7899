#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "../../unit/search/spaces.hpp"
#include "search/multi_pass.hpp"

namespace kareus::search {
namespace {

using testing::candidates;

const Space& space() {
  static const Space result = testing::grid(6, 5, 2);
  return result;
}

/// Predicts the label of the nearest row, after a change to one label that the seed picks: fast, and as sensitive to
/// the data and the seed as trees are.
class NearestSurrogate final : public Surrogate {
 public:
  Result<void> fit(const FeatureMatrix& x, std::span<const double> y, std::uint64_t seed) override {
    x_ = std::make_unique<FeatureMatrix>(x);
    y_.assign(y.begin(), y.end());
    y_[seed % y_.size()] *= 1.0 + 1e-3 * static_cast<double>(seed % 101);
    return {};
  }
  Result<std::vector<double>> predict(const FeatureMatrix& x) const override {
    std::vector<double> result;
    for (std::size_t i = 0; i < x.rows(); ++i) {
      std::size_t best = 0;
      for (std::size_t j = 1; j < x_->rows(); ++j) {
        if (distance(x, i, j) < distance(x, i, best)) best = j;
      }
      result.push_back(y_[best] * (1.0 + 0.1 * distance(x, i, best)));
    }
    return result;
  }

 private:
  double distance(const FeatureMatrix& x, std::size_t i, std::size_t j) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < x.columns(); ++c) {
      sum += std::abs(static_cast<double>(x.data()[i * x.columns() + c] - x_->data()[j * x.columns() + c]));
    }
    return sum;
  }
  std::unique_ptr<FeatureMatrix> x_;
  std::vector<double> y_;
};

MultiPassOptions options() {
  return {.initial = 10,
          .batches = 3,
          .batch_size = 6,
          .ensemble = 2,
          .convergence_threshold = 0.0,
          .static_power = 85.0,
          .seed = 11};
}

std::optional<Objectives> result_of(std::size_t candidate) {
  if (candidate % 7 == 3) return std::nullopt;
  return testing::evaluate(space(), candidate);
}

std::unique_ptr<Optimizer> make_optimizer() {
  return make_multi_pass_with(space(), options(), [] { return std::make_unique<NearestSurrogate>(); }).value();
}

const std::vector<Suggestion>& uninterrupted() {
  static const std::vector<Suggestion> order = [] {
    auto optimizer = make_optimizer();
    return testing::run(*optimizer, result_of);
  }();
  return order;
}

RC_GTEST_PROP(Resume, ContinuesExactlyFromAnyCutAndGrouping, ()) {
  const auto& order = uninterrupted();
  const auto cut = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(order.size()) + 1));
  std::vector<Evaluation> old;
  for (std::size_t i = 0; i < cut; ++i) old.push_back({order[i].candidate, result_of(order[i].candidate)});
  if (*rc::gen::arbitrary<bool>()) std::reverse(old.begin(), old.end());

  auto optimizer = make_optimizer();
  for (std::size_t begin = 0; begin < old.size();) {
    const auto left = static_cast<int>(old.size() - begin);
    const auto size = static_cast<std::size_t>(*rc::gen::inRange(1, left + 1));
    RC_ASSERT(optimizer->tell(std::span(old).subspan(begin, size)).has_value());
    begin += size;
  }
  const auto rest = testing::run(*optimizer, result_of);
  RC_ASSERT(rest.size() == order.size() - cut);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    RC_ASSERT(rest[i].candidate == order[cut + i].candidate);
    RC_ASSERT(rest[i].pass == order[cut + i].pass);
  }
}

RC_GTEST_PROP(Resume, AsksAgainForWhatATornLogLost, ()) {
  const auto& order = uninterrupted();
  std::vector<Evaluation> kept;
  for (const Suggestion& s : order) {
    if (*rc::gen::inRange(0, 8) != 0) kept.push_back({s.candidate, result_of(s.candidate)});
  }
  auto optimizer = make_optimizer();
  RC_ASSERT(optimizer->tell(kept).has_value());
  std::vector<std::size_t> all = candidates(testing::run(*optimizer, result_of));
  RC_ASSERT(all.size() == order.size() - kept.size());
  for (const Evaluation& evaluation : kept) all.push_back(evaluation.candidate);
  auto expected = candidates(order);
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(all == expected);
}

std::unique_ptr<Optimizer> make_ours() {
  return make_adaptive(space(), {.budget = 40, .initial = 8, .static_power = 85.0, .seed = 11}).value();
}

const std::vector<Suggestion>& ours_uninterrupted() {
  static const std::vector<Suggestion> order = [] {
    auto optimizer = make_ours();
    return testing::run(*optimizer, result_of);
  }();
  return order;
}

RC_GTEST_PROP(AdaptiveResume, ContinuesExactlyFromAnyCutInAnyOrder, ()) {
  const auto& order = ours_uninterrupted();
  const auto cut = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(order.size()) + 1));
  std::vector<Evaluation> old;
  for (std::size_t i = 0; i < cut; ++i) old.push_back({order[i].candidate, result_of(order[i].candidate)});
  if (*rc::gen::arbitrary<bool>()) std::reverse(old.begin(), old.end());
  auto optimizer = make_ours();
  const auto half = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(old.size()) + 1));
  RC_ASSERT(optimizer->tell(std::span(old).first(half)).has_value());
  RC_ASSERT(optimizer->tell(std::span(old).subspan(half)).has_value());
  const auto rest = testing::run(*optimizer, result_of);
  RC_ASSERT(rest.size() == order.size() - cut);
  for (std::size_t i = 0; i < rest.size(); ++i) RC_ASSERT(rest[i].candidate == order[cut + i].candidate);
}

}  // namespace
}  // namespace kareus::search
