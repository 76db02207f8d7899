#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kareus/result.hpp"
#include "search/features.hpp"

namespace kareus::search {

/// A regression model of one objective over the features.
class Surrogate {
 public:
  virtual ~Surrogate() = default;

  /// Learns y from x, row by row (as many labels as rows, at least one, all finite). The same arguments give the same
  /// model, in whatever thread and after whatever else was fitted.
  virtual Result<void> fit(const FeatureMatrix& x, std::span<const double> y, std::uint64_t seed) = 0;
  /// One prediction per row, in the unit of the labels. Pre: a successful fit() with as many columns.
  virtual Result<std::vector<double>> predict(const FeatureMatrix& x) const = 0;
};

using SurrogateFactory = std::function<std::unique_ptr<Surrogate>()>;

/// Gradient-boosted trees with the parameters of the published system. Errors of both calls: internal, with the
/// library's own message.
std::unique_ptr<Surrogate> make_xgboost_surrogate();

}  // namespace kareus::search
