#include "search/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kareus::search {

Result<void> check_space(const Space& space) {
  Error error{ErrorCode::bad_input, {}};
  const auto add = [&](std::string what) { error.problems.push_back({"search space", std::move(what), ""}); };
  if (space.rows.empty()) add("there are no candidates");
  if (space.features.empty()) add("there are no features");
  for (std::size_t i = 0; i < space.rows.size(); ++i) {
    const auto& row = space.rows[i];
    if (row.size() != space.features.size()) {
      add(fmt::format("candidate {} has {} values for {} features", i, row.size(), space.features.size()));
      continue;
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!std::isfinite(row[j])) add(fmt::format("'{}' of candidate {} is not finite", space.features[j], i));
    }
  }
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  return {};
}

FeatureMatrix::FeatureMatrix(const Space& space) : columns_(space.features.size()) {
  values_.resize(space.rows.size() * columns_);
  for (std::size_t j = 0; j < columns_; ++j) {
    const auto less = [j](const auto& a, const auto& b) { return a[j] < b[j]; };
    const auto [lowest, highest] = std::minmax_element(space.rows.begin(), space.rows.end(), less);
    const double low = (*lowest)[j];
    const double half_range = (*highest)[j] / 2 - low / 2;  // halves, because the difference may overflow
    for (std::size_t i = 0; i < space.rows.size(); ++i) {
      const double position = half_range > 0 ? (space.rows[i][j] / 2 - low / 2) / half_range : 0.0;
      values_[i * columns_ + j] = static_cast<float>(position);
    }
  }
}

FeatureMatrix FeatureMatrix::select(std::span<const std::size_t> rows) const {
  std::vector<float> values;
  values.reserve(rows.size() * columns_);
  for (const std::size_t row : rows) {
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(row * columns_);
    values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(columns_));
  }
  return {columns_, std::move(values)};
}

}  // namespace kareus::search
