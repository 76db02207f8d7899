#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <span>
#include <vector>

#include "search/coordinates.hpp"

namespace kareus::search {

/// Shape of a Gaussian process, in logarithms as it is searched.
struct GaussianShape {
  std::vector<double> log_lengths;  ///< per axis
  double log_noise = -7.0;          ///< variance of one observation over that of the process
  double additive = 0.0;            ///< logit of the share of the additive part
};

/// What is known of one label: a mean of repeats has less than one noise, a doubtful one has more.
struct Observation {
  std::size_t candidate = 0;
  double label = 0.0;
  double noise = 1.0;  ///< times the fitted noise
  double extra = 0.0;  ///< variance of its own, in squared labels
};

/// Regression over the candidates of a space. Covariance: Matern-3/2 with a length per axis, as a product over the axes
/// plus, with a fitted share, as their mean (main effects that add up need few points to be learnt). Labels have mean
/// 0. The shape is the most probable one under weak priors (lengths about half an axis); the scale is integrated in
/// closed form (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, sections 2.2, 4.2, 5.4).
class GaussianProcess {
 public:
  explicit GaussianProcess(const Coordinates& coordinates) : coordinates_(&coordinates) {}

  /// Learns the shape, from `start` when there is one, and the labels. Pre: observations are not empty.
  void fit(std::span<const Observation> observations, const GaussianShape* start);
  const GaussianShape& shape() const { return shape_; }

  /// Root mean square error and the standardised residuals of each label when it is predicted from the others
  /// (Rasmussen and Williams, equations 5.10 to 5.12).
  double leave_one_out_error() const { return loo_error_; }
  std::span<const double> leave_one_out_residuals() const { return loo_residuals_; }

  /// Prepares mean and variance at every candidate, and room for `more` believed labels.
  void predict(std::size_t more);
  double mean(std::size_t candidate) const { return mean_[static_cast<Eigen::Index>(candidate)]; }
  double deviation(std::size_t candidate) const;
  /// Standard deviation of one observation's noise, in labels.
  double noise_deviation() const;
  /// Takes the predicted mean of the candidate for an observation of it: variances fall, means stay.
  void believe(std::size_t candidate);

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  struct Tables;
  Tables tables(const GaussianShape& shape) const;
  /// Covariance of candidate `with` with each of the others, into `result`.
  void covariances(const Tables& tables, std::size_t with, std::span<const std::size_t> candidates,
                   double* result) const;
  bool factor(const GaussianShape& shape, std::span<const Observation> observations, Eigen::LLT<Matrix>& llt,
              double& log_determinant) const;
  double cost(const GaussianShape& shape, std::span<const Observation> observations) const;
  void search_shape(std::span<const Observation> observations, bool warm);

  const Coordinates* coordinates_;
  GaussianShape shape_;
  std::vector<Observation> observations_;
  Eigen::LLT<Matrix> llt_;
  Vector weights_;
  double scale_ = 1.0;  ///< variance of the process
  double loo_error_ = 0.0;
  std::vector<double> loo_residuals_;
  Vector mean_;
  Vector variance_;   ///< relative to the scale
  Matrix projected_;  ///< inverse factor times covariances with every candidate, and a row per believed label
  Eigen::Index rows_ = 0;
};

}  // namespace kareus::search
