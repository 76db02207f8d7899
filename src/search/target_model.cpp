#include "search/target_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "kareus/result.hpp"
#include "search/random.hpp"
#include "search/surrogate.hpp"

namespace kareus::search {
namespace {

/// Middles of 16 equally likely parts of the standard normal distribution.
constexpr std::array<double, TargetModel::kMembers> kNormal = {-1.8627, -1.3180, -1.0100, -0.7764, -0.5791, -0.4023,
                                                               -0.2372, -0.0784, 0.0784,  0.2372,  0.4023,  0.5791,
                                                               0.7764,  1.0100,  1.3180,  1.8627};
/// A second objective takes the parts in this order: uncorrelated with the first to a hundredth.
constexpr std::array<std::size_t, TargetModel::kMembers> kShifted = {4, 13, 1, 12, 2, 15, 8,  11,
                                                                     5, 3,  6, 9,  7, 0,  14, 10};

/// The worlds of a process spread more than it says, since its shape is taken for known (docs/decisions/007).
constexpr double kCaution = 1.2;
constexpr std::size_t kTrees = 5;
constexpr double kGoodEnough = 0.3;  ///< leave-one-out error of labels below which trees are not tried
constexpr double kDoubt = 4.0;       ///< standard deviations
constexpr double kDoubtVariance = 1.0;

bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0.0; });
}

std::vector<double> transformed(std::span<const double> values, bool logarithm) {
  std::vector<double> result(values.begin(), values.end());
  if (logarithm) {
    for (double& value : result) value = std::log(value);
  }
  return result;
}

}  // namespace

LabelMap::LabelMap(std::span<const double> values, bool logarithm)
    : logarithm_(logarithm && all_positive(values)), scale_(transformed(values, logarithm_)) {}

double LabelMap::label(double value) const {
  const double x = logarithm_ ? std::log(value) : value;
  return constant() ? 0.0 : (x - scale_.mean()) / scale_.deviation();
}

double LabelMap::value(double label) const {
  const double x = constant() ? scale_.mean() : scale_.mean() + label * scale_.deviation();
  return logarithm_ ? std::exp(x) : x;
}

double LabelMap::variance(double value, double variance) const {
  if (constant()) return 0.0;
  const double relative = logarithm_ ? value * scale_.deviation() : scale_.deviation();
  return variance / relative / relative;
}

TargetModel::TargetModel(const Coordinates& coordinates, const FeatureMatrix& features)
    : coordinates_(&coordinates), features_(&features), process_(coordinates), map_(std::array{1.0}, true) {}

Result<void> TargetModel::fit(std::span<const Measured> values, Kind kind, bool logarithm, bool doubt,
                              std::span<const double> pull, std::uint64_t seed, std::size_t more) {
  std::vector<double> exact;
  for (const Measured& one : values) {
    if (!one.censored) exact.push_back(one.value);
  }
  map_ = LabelMap(exact, logarithm);
  trees_ = false;
  doubtful_.assign(values.size(), false);
  pull_.clear();
  for (const double value : pull) pull_.push_back(map_.label(value));

  std::vector<Observation> observations;
  std::vector<std::size_t> index;
  const auto observe = [&](std::size_t i, double label) {
    const Measured& one = values[i];
    observations.push_back({.candidate = one.candidate,
                            .label = label - base(one.candidate),
                            .noise = 1.0 / static_cast<double>(one.repeats),
                            .extra = map_.variance(one.value, one.variance)});
    index.push_back(i);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].censored) observe(i, map_.label(values[i].value));
  }
  if (!pull_.empty()) align_pull(observations);
  process_.fit(observations, nullptr);
  process_.predict(more);
  if (observations.size() < values.size()) {
    // A lower bound says something only where less is predicted, and then little about by how much.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].censored || (logarithm && values[i].value <= 0.0)) continue;
      const double bound = map_.label(values[i].value);
      if (bound <= process_.mean(values[i].candidate) + base(values[i].candidate)) continue;
      observe(i, bound);
      observations.back().extra += 0.01;
    }
    const GaussianShape shape = process_.shape();
    process_.fit(observations, &shape);
    process_.predict(more);
  }
  if (doubt) {
    bool any = false;
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const bool odd = std::abs(process_.leave_one_out_residuals()[i]) > kDoubt;
      if (!odd || values[index[i]].repeats > 1 || values[index[i]].censored) continue;
      doubtful_[index[i]] = any = true;
      observations[i].extra += kDoubtVariance;
    }
    if (any) {
      process_.fit(observations, nullptr);
      process_.predict(more);
    }
  }
  error_ = process_.leave_one_out_error();
  const bool compare = kind == Kind::chosen && error_ > kGoodEnough;
  if (map_.constant() || (kind != Kind::trees && !compare)) return {};
  KAREUS_RETURN_IF_ERROR(fit_trees(observations, seed));
  trees_ = kind == Kind::trees || trees_error_ < error_;
  if (trees_) error_ = trees_error_;
  return {};
}

/// Scales and shifts the pull to the labels by least squares, and keeps it only if the labels are easier to predict
/// from each other with it than without.
void TargetModel::align_pull(std::vector<Observation>& observations) {
  const auto n = static_cast<double>(observations.size());
  double pull_mean = 0.0;
  double label_mean = 0.0;
  for (Observation& one : observations) {
    one.label += base(one.candidate);
    pull_mean += base(one.candidate) / n;
    label_mean += one.label / n;
  }
  double square = 1e-9;
  double product = 0.0;
  for (const Observation& one : observations) {
    const double difference = base(one.candidate) - pull_mean;
    square += difference * difference;
    product += difference * (one.label - label_mean);
  }
  process_.fit(observations, nullptr);
  const double error = process_.leave_one_out_error();
  for (double& value : pull_) value = label_mean + product / square * (value - pull_mean);
  for (Observation& one : observations) one.label -= base(one.candidate);
  process_.fit(observations, nullptr);
  if (process_.leave_one_out_error() < error) return;
  for (Observation& one : observations) one.label += base(one.candidate);
  pull_.clear();
}

Result<void> TargetModel::fit_trees(std::span<const Observation> observations, std::uint64_t seed) {
  const std::size_t n = observations.size();
  const std::size_t count = features_->rows();
  tree_members_.clear();
  tree_mean_.assign(count, 0.0);
  tree_deviation_.assign(count, 0.0);
  std::vector<double> outside(n, 0.0);
  std::vector<double> outside_count(n, 0.0);
  const auto surrogate = make_xgboost_surrogate();
  for (std::size_t m = 0; m < kTrees; ++m) {
    const std::uint64_t member_seed = derive_seed(seed, "member " + std::to_string(m));
    Random random(member_seed);
    std::vector<std::size_t> rows(n);
    std::vector<double> labels(n);
    std::vector<bool> inside(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t draw = random.below(n);
      inside[draw] = true;
      rows[i] = observations[draw].candidate;
      labels[i] = observations[draw].label;
    }
    KAREUS_RETURN_IF_ERROR(surrogate->fit(features_->select(rows), labels, member_seed));
    auto predicted = surrogate->predict(*features_);
    if (!predicted) return tl::unexpected(std::move(predicted).error());
    for (std::size_t i = 0; i < n; ++i) {
      if (inside[i]) continue;
      outside[i] += (*predicted)[observations[i].candidate];
      outside_count[i] += 1.0;
    }
    for (std::size_t c = 0; c < count; ++c) tree_mean_[c] += (*predicted)[c] / static_cast<double>(kTrees);
    tree_members_.push_back(std::move(*predicted));
  }
  for (std::size_t c = 0; c < count; ++c) {
    for (const auto& member : tree_members_) {
      const double difference = member[c] - tree_mean_[c];
      tree_deviation_[c] += difference * difference / static_cast<double>(kTrees);
    }
    tree_deviation_[c] = std::sqrt(tree_deviation_[c]);
  }
  double squares = 0.0;
  double predicted = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    if (outside_count[i] == 0.0) continue;
    const double residual = outside[i] / outside_count[i] - observations[i].label;
    squares += residual * residual;
    predicted += 1.0;
  }
  trees_error_ = predicted > 0.0 ? std::sqrt(squares / predicted) : HUGE_VAL;
  return {};
}

double TargetModel::mean(std::size_t candidate) const {
  const double own = trees_ ? tree_mean_[candidate] : process_.mean(candidate);
  return map_.value(own + base(candidate));
}

double TargetModel::deviation(std::size_t candidate) const {
  return trees_ ? tree_deviation_[candidate] : process_.deviation(candidate);
}

double TargetModel::member(std::size_t candidate, std::size_t world, bool shifted) const {
  const double own = trees_ ? tree_members_[world % kTrees][candidate]
                            : process_.mean(candidate) +
                                  kCaution * process_.deviation(candidate) * kNormal[shifted ? kShifted[world] : world];
  return map_.value(own + base(candidate));
}

void TargetModel::believe(std::size_t candidate) {
  if (!trees_) process_.believe(candidate);
}

}  // namespace kareus::search
