#pragma once

#include <span>
#include <vector>

namespace kareus::search {

/// The affine map that brings labels to mean 0 and standard deviation 10.
///
/// XGBoost refuses any split whose gain is below an absolute 1e-6, so squared errors of labels of the order of
/// milliseconds in seconds look like nothing to it: labels in raw units cost percents of accuracy.
class LabelScale {
 public:
  static constexpr double kDeviation = 10.0;

  /// Pre: labels are finite and not empty.
  explicit LabelScale(std::span<const double> labels);

  /// True if all labels are equal (to rounding), so that there is nothing to learn.
  bool constant() const { return deviation_ == 0.0; }
  double mean() const { return mean_; }
  double deviation() const { return deviation_; }

  /// Scaled labels, rounded to 2^-16: far below any noise, and far above the rounding errors in which the same labels
  /// in two units differ, so that the unit does not change the model.
  std::vector<float> scale(std::span<const double> labels) const;
  double restore(double scaled) const { return mean_ + scaled / kDeviation * deviation_; }

 private:
  double mean_ = 0.0;
  double deviation_ = 0.0;
};

}  // namespace kareus::search
