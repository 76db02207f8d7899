#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {

/// Rows of features as the surrogates take them: single precision, row after row, each column mapped to [0, 1] over
/// the space it was made from. Trees do not change under the map, and no finite feature overflows.
class FeatureMatrix {
 public:
  /// Pre: check_space(space) is fine.
  explicit FeatureMatrix(const Space& space);

  /// The given rows, in that order, repetitions included.
  FeatureMatrix select(std::span<const std::size_t> rows) const;

  std::size_t rows() const { return values_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  const float* data() const { return values_.data(); }

 private:
  FeatureMatrix(std::size_t columns, std::vector<float> values) : columns_(columns), values_(std::move(values)) {}

  std::size_t columns_;
  std::vector<float> values_;
};

/// Errors: bad_input with every defect of the space: no candidates, no features, a row of another length, a feature
/// that is not finite.
Result<void> check_space(const Space& space);

}  // namespace kareus::search
