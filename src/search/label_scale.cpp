#include "search/label_scale.hpp"

#include <algorithm>
#include <cmath>

#include "kareus/result.hpp"

namespace kareus::search {

LabelScale::LabelScale(std::span<const double> labels) {
  KAREUS_CHECK(!labels.empty());
  const double count = static_cast<double>(labels.size());
  for (const double label : labels) mean_ += label / count;
  double largest = 0.0;
  for (const double label : labels) largest = std::max(largest, std::abs(label - mean_));
  if (largest <= 1e-13 * std::abs(mean_) || largest == 0.0) {  // rounding errors of the mean
    mean_ = labels.front();
    return;
  }
  double squares = 0.0;  // relative to the largest, so that nothing overflows or vanishes
  for (const double label : labels) squares += (label - mean_) / largest * ((label - mean_) / largest);
  deviation_ = largest * std::sqrt(squares / count);
}

std::vector<float> LabelScale::scale(std::span<const double> labels) const {
  constexpr double kGrid = 65536.0;
  std::vector<float> scaled;
  scaled.reserve(labels.size());
  for (const double label : labels) {
    const double exact = constant() ? 0.0 : (label - mean_) / deviation_ * kDeviation;
    scaled.push_back(static_cast<float>(std::round(exact * kGrid) / kGrid));
  }
  return scaled;
}

}  // namespace kareus::search
