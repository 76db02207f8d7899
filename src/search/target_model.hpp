#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/features.hpp"
#include "search/gaussian_process.hpp"
#include "search/label_scale.hpp"

namespace kareus::search {

/// Labels as the models see them: their logarithm where all are positive, then with mean 0 and standard deviation 1.
class LabelMap {
 public:
  LabelMap(std::span<const double> values, bool logarithm);
  bool constant() const { return scale_.constant(); }
  double label(double value) const;
  double value(double label) const;
  /// Variance of the label of a value with that variance.
  double variance(double value, double variance) const;

 private:
  bool logarithm_;
  LabelScale scale_;
};

/// One measured value of an objective.
struct Measured {
  std::size_t candidate = 0;
  double value = 0.0;
  std::size_t repeats = 1;
  double variance = 0.0;  ///< 0 = not known
  bool censored = false;  ///< the value is a lower bound
};

/// What is predicted of one objective at every candidate of a space, by the better of two models.
class TargetModel {
 public:
  enum class Kind { chosen, gaussian, trees };
  static constexpr std::size_t kMembers = 16;

  TargetModel(const Coordinates& coordinates, const FeatureMatrix& features);

  /// `pull` is a value per candidate that the objective is expected to follow, from an earlier search; may be empty.
  /// Values that do not fit in are taken for doubtful when `doubt` is set. Pre: at least one value is not censored.
  Result<void> fit(std::span<const Measured> values, Kind kind, bool logarithm, bool doubt,
                   std::span<const double> pull, std::uint64_t seed, std::size_t more);

  bool constant() const { return map_.constant(); }
  bool uses_trees() const { return trees_; }
  double leave_one_out_error() const { return error_; }  ///< of labels: 1 is as bad as the mean
  /// Whether the measured value, by its index in fit(), is far from what the others say.
  bool doubtful(std::size_t index) const { return doubtful_[index]; }
  double mean(std::size_t candidate) const;
  double deviation(std::size_t candidate) const;                  ///< in labels
  double label(double value) const { return map_.label(value); }  ///< in whose units deviations are
  /// The objective at a candidate in one of kMembers equally likely worlds; `shift` pairs worlds of several objectives.
  double member(std::size_t candidate, std::size_t world, bool shifted) const;
  void believe(std::size_t candidate);

 private:
  double base(std::size_t candidate) const { return pull_.empty() ? 0.0 : pull_[candidate]; }
  void align_pull(std::vector<Observation>& observations);
  Result<void> fit_trees(std::span<const Observation> observations, std::uint64_t seed);

  const Coordinates* coordinates_;
  const FeatureMatrix* features_;
  GaussianProcess process_;
  LabelMap map_;
  bool trees_ = false;
  double error_ = 0.0;
  double trees_error_ = 0.0;
  std::vector<bool> doubtful_;
  std::vector<double> pull_;  ///< in labels
  std::vector<std::vector<double>> tree_members_;
  std::vector<double> tree_mean_;
  std::vector<double> tree_deviation_;
};

}  // namespace kareus::search
