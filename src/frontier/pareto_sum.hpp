#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kareus/frontier.hpp"

namespace kareus::frontier {

/// Sums of floating-point numbers that are equal on paper differ in the last bits by the order of adding. Two costs
/// nearer than this, relatively, count as equal; without it every permutation of equal parts would survive as a
/// "different" point.
inline constexpr double kRoundingNoise = 1e-12;

/// The Pareto set of all sums that take one cost of each part: the Minkowski sum of the parts, without its dominated
/// points. Exact up to kRoundingNoise.
///
/// Parts are added two at a time, smallest first; each sum remembers only which two points it came from.
class ParetoSum {
 public:
  /// `parts` must be non-empty lists of finite costs.
  explicit ParetoSum(std::span<const std::vector<Cost>> parts);

  /// Ascending in time, strictly descending in energy.
  const std::vector<Cost>& front() const { return layers_.back().costs; }
  /// Per part, the index of the cost that point `index` of the front is made of.
  std::vector<std::uint32_t> choices(std::size_t index) const;

 private:
  struct Source {
    std::uint32_t left = 0;   ///< point of the left operand
    std::uint32_t right = 0;  ///< point of the right operand
  };
  /// A front: of a part (`left` names the part's cost), or the sum of two earlier layers.
  struct Layer {
    std::vector<Cost> costs;
    std::vector<Source> sources;
    std::int64_t left_layer = -1;
    std::int64_t right_layer = -1;
    std::size_t part = 0;
  };

  static Layer filtered(const std::vector<Cost>& part, std::size_t index);
  Layer sum(std::size_t a, std::size_t b) const;

  std::vector<Layer> layers_;
  std::size_t part_count_ = 0;
};

}  // namespace kareus::frontier
