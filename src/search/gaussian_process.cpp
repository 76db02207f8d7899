#include "search/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "kareus/result.hpp"

namespace kareus::search {
namespace {

constexpr double kJitter = 1e-9;
constexpr std::size_t kLargestTable = 64;       // levels
constexpr std::size_t kShapeObservations = 96;  // more change the shape little and cost cubes

double matern(double distance) {
  const double r = std::sqrt(3.0) * distance;
  return (1.0 + r) * std::exp(-r);
}

double share(double logit) {
  return 1.0 / (1.0 + std::exp(-logit));
}

std::vector<std::size_t> candidates_of(std::span<const Observation> observations) {
  std::vector<std::size_t> candidates;
  candidates.reserve(observations.size());
  for (const Observation& one : observations) candidates.push_back(one.candidate);
  return candidates;
}

double prior_cost(const GaussianShape& shape) {
  const auto square = [](double x) { return x * x; };
  double cost = 0.0;
  for (const double length : shape.log_lengths) cost += square(length - std::log(0.6)) / 2.0;
  cost += square(shape.log_noise + 8.0) / (2.0 * square(2.5));
  cost += square(shape.additive) / (2.0 * square(2.0));
  return cost;
}

}  // namespace

/// Covariances of the levels of each axis; an axis with many levels is computed when asked.
struct GaussianProcess::Tables {
  std::vector<Matrix> axis;
  std::vector<double> inverse_length;
  double additive = 0.0;
};

GaussianProcess::Tables GaussianProcess::tables(const GaussianShape& shape) const {
  Tables result;
  result.additive = share(shape.additive);
  for (std::size_t g = 0; g < coordinates_->axes().size(); ++g) {
    const Coordinates::Axis& axis = coordinates_->axes()[g];
    result.inverse_length.push_back(std::exp(-shape.log_lengths[g]));
    Matrix table;
    const std::size_t count = axis.levels.size();
    if (count <= kLargestTable) {
      table.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
          const double value = matern(Coordinates::distance(axis, a, b) * result.inverse_length[g]);
          table(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = value;
          table(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) = value;
        }
      }
    }
    result.axis.push_back(std::move(table));
  }
  return result;
}

void GaussianProcess::covariances(const Tables& tables, std::size_t with, std::span<const std::size_t> candidates,
                                  double* result) const {
  const auto& axes = coordinates_->axes();
  const std::size_t count = candidates.size();
  if (axes.empty()) {
    std::fill_n(result, count, 1.0);
    return;
  }
  // Axis by axis, so that the inner loops look up one column of one table.
  std::vector<double> sums(count, 0.0);
  for (std::size_t g = 0; g < axes.size(); ++g) {
    const Coordinates::Axis& axis = axes[g];
    const std::size_t j = axis.level[with];
    const double* column =
        tables.axis[g].size() > 0 ? tables.axis[g].col(static_cast<Eigen::Index>(j)).data() : nullptr;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = axis.level[candidates[k]];
      const double value =
          column != nullptr ? column[i] : matern(Coordinates::distance(axis, i, j) * tables.inverse_length[g]);
      result[k] = g == 0 ? value : result[k] * value;
      sums[k] += value;
    }
  }
  const double share_of_sums = tables.additive / static_cast<double>(axes.size());
  for (std::size_t k = 0; k < count; ++k) {
    result[k] = (1.0 - tables.additive) * result[k] + share_of_sums * sums[k];
  }
}

bool GaussianProcess::factor(const GaussianShape& shape, std::span<const Observation> observations,
                             Eigen::LLT<Matrix>& llt, double& log_determinant) const {
  const Tables table = tables(shape);
  const auto n = static_cast<Eigen::Index>(observations.size());
  const double noise = std::exp(shape.log_noise);
  Matrix k(n, n);
  const std::vector<std::size_t> candidates = candidates_of(observations);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Observation& one = observations[static_cast<std::size_t>(i)];
    covariances(table, one.candidate, std::span(candidates).subspan(static_cast<std::size_t>(i)), &k(i, i));
    k(i, i) = 1.0 + noise * one.noise + one.extra + kJitter;
  }
  llt.compute(k.selfadjointView<Eigen::Lower>());
  if (llt.info() != Eigen::Success) return false;
  log_determinant = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) log_determinant += 2.0 * std::log(llt.matrixLLT()(i, i));
  return std::isfinite(log_determinant);
}

double GaussianProcess::cost(const GaussianShape& shape, std::span<const Observation> observations) const {
  Eigen::LLT<Matrix> llt;
  double log_determinant = 0.0;
  if (!factor(shape, observations, llt, log_determinant)) return std::numeric_limits<double>::infinity();
  Vector y(static_cast<Eigen::Index>(observations.size()));
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = observations[static_cast<std::size_t>(i)].label;
  llt.matrixL().solveInPlace(y);
  // The scale's prior (inverse gamma, one pseudo-observation of variance 1) keeps few labels from implying none.
  const double n = static_cast<double>(observations.size());
  const double scale = (y.squaredNorm() + 1.0) / (n + 1.0);
  return 0.5 * (n + 1.0) * std::log(scale) + 0.5 * log_determinant + prior_cost(shape);
}

/// Searches one coordinate after the other with a falling step.
void GaussianProcess::search_shape(std::span<const Observation> observations, bool warm) {
  const std::size_t axes = shape_.log_lengths.size();
  const auto parameter = [axes](GaussianShape& shape, std::size_t p) -> double& {
    return p < axes ? shape.log_lengths[p] : p == axes ? shape.log_noise : shape.additive;
  };
  double best = cost(shape_, observations);
  const std::vector<double> steps = warm ? std::vector<double>{0.35} : std::vector<double>{1.2, 1.0, 0.6, 0.35};
  for (const double step : steps) {
    for (std::size_t p = 0; p < axes + 2; ++p) {
      const double scaled = p < axes ? step : 2.0 * step;
      for (const double change : {scaled, -scaled}) {
        GaussianShape other = shape_;
        double& value = parameter(other, p);
        value += change;
        if (p < axes) value = std::clamp(value, std::log(0.02), std::log(20.0));
        if (p == axes) value = std::clamp(value, -14.0, 0.0);
        if (p > axes) value = std::clamp(value, -6.0, 6.0);
        const double candidate = cost(other, observations);
        if (candidate < best) {
          best = candidate;
          shape_ = other;
          break;
        }
      }
    }
  }
}

void GaussianProcess::fit(std::span<const Observation> observations, const GaussianShape* start) {
  KAREUS_CHECK(!observations.empty());
  observations_.assign(observations.begin(), observations.end());
  const std::size_t axes = coordinates_->axes().size();
  shape_ = start != nullptr ? *start : GaussianShape{.log_lengths = std::vector<double>(axes, std::log(0.6))};
  std::vector<Observation> sample;
  const std::size_t n = observations_.size();
  const std::size_t wanted = std::min(n, kShapeObservations);
  for (std::size_t i = 0; i < wanted; ++i) sample.push_back(observations_[i * n / wanted]);
  search_shape(sample, start != nullptr);

  double log_determinant = 0.0;
  while (!factor(shape_, observations_, llt_, log_determinant)) {
    KAREUS_CHECK(shape_.log_noise < 1.0);
    shape_.log_noise += 1.0;
  }
  Vector y(static_cast<Eigen::Index>(n));
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = observations_[static_cast<std::size_t>(i)].label;
  weights_ = llt_.solve(y);
  scale_ = (y.dot(weights_) + 1.0) / (static_cast<double>(n) + 1.0);
  const Matrix inverse = llt_.solve(Matrix::Identity(y.size(), y.size()));
  loo_residuals_.resize(n);
  double squares = 0.0;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double residual = weights_[i] / inverse(i, i);
    squares += residual * residual;
    loo_residuals_[static_cast<std::size_t>(i)] = residual / std::sqrt(scale_ / inverse(i, i));
  }
  loo_error_ = std::sqrt(squares / static_cast<double>(n));
}

void GaussianProcess::predict(std::size_t more) {
  const Tables table = tables(shape_);
  const auto n = static_cast<Eigen::Index>(observations_.size());
  const auto count = static_cast<Eigen::Index>(coordinates_->candidates());
  projected_.resize(n + static_cast<Eigen::Index>(more), count);
  rows_ = n;
  const std::vector<std::size_t> candidates = candidates_of(observations_);
  Matrix cross(n, count);
  for (Eigen::Index c = 0; c < count; ++c) covariances(table, static_cast<std::size_t>(c), candidates, &cross(0, c));
  mean_ = cross.transpose() * weights_;
  llt_.matrixL().solveInPlace(cross);
  variance_ = (1.0 - cross.colwise().squaredNorm().array()).matrix();
  projected_.topRows(n) = cross;
}

double GaussianProcess::deviation(std::size_t candidate) const {
  return std::sqrt(scale_ * std::max(0.0, variance_[static_cast<Eigen::Index>(candidate)]));
}

double GaussianProcess::noise_deviation() const {
  return std::sqrt(scale_ * std::exp(shape_.log_noise));
}

void GaussianProcess::believe(std::size_t candidate) {
  KAREUS_CHECK(rows_ < projected_.rows());
  const Tables table = tables(shape_);
  const auto at = static_cast<Eigen::Index>(candidate);
  const double variance = std::max(0.0, variance_[at]) + std::exp(shape_.log_noise) + kJitter;
  Vector row(projected_.cols());
  std::vector<std::size_t> all(coordinates_->candidates());
  std::iota(all.begin(), all.end(), std::size_t{0});
  covariances(table, candidate, all, row.data());
  row.noalias() -= projected_.topRows(rows_).transpose() * projected_.col(at).head(rows_);
  row /= std::sqrt(variance);
  variance_ -= row.cwiseAbs2();
  projected_.row(rows_) = row.transpose();
  ++rows_;
}

}  // namespace kareus::search
