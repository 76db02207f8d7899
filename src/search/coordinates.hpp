#pragma once

#include <cstddef>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {

/// The space as a Gaussian process sees it: one axis per feature, where one-hot columns (`name=value`) are one category
/// again and columns that never change are left out.
class Coordinates {
 public:
  struct Axis {
    bool category = false;           ///< levels are equal or different; nothing in between
    std::vector<double> levels;      ///< positions, ascending, in [0, 1]; of a category its numbers
    std::vector<std::size_t> level;  ///< per candidate
  };

  /// The clock feature, if the space names one, is placed by its logarithm, in which the logarithm of time is close to
  /// a straight line; so are other positive features that span a factor of eight. Pre: check_space() is fine.
  explicit Coordinates(const Space& space);

  std::size_t candidates() const { return candidates_; }
  const std::vector<Axis>& axes() const { return axes_; }
  /// Distance of two levels of an axis, in [0, 1].
  static double distance(const Axis& axis, std::size_t a, std::size_t b);
  /// Sum over the axes of the squared distances of two candidates.
  double squared_distance(std::size_t a, std::size_t b) const;

 private:
  std::size_t candidates_;
  std::vector<Axis> axes_;
};

}  // namespace kareus::search
