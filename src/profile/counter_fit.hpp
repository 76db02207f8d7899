#pragma once

#include <cstddef>

#include "kareus/quantity.hpp"

namespace kareus::profile {

/// Power from moments at which the energy counter moved: the slope of a straight line through (moment, counter) by
/// least squares. A moment is known to within a bracket, the time between the readings before and after the move.
class CounterFit {
 public:
  void add(Seconds moment, Joules counter, Seconds bracket);

  std::size_t size() const { return count_; }
  Seconds span() const { return Seconds(last_time_); }
  /// Pre: two moments.
  Watts power() const;
  /// Half-width of the 95% confidence interval of the power, relative to it; infinite with fewer than three moments.
  /// The deviation is that of the points from the line, or that of the brackets (uniform) if that is larger.
  double interval() const;

 private:
  double slope() const;

  std::size_t count_ = 0;
  double first_time_ = 0.0;
  double first_joules_ = 0.0;
  double last_time_ = 0.0;  ///< since the first moment, as are the sums
  double sum_t_ = 0.0;
  double sum_e_ = 0.0;
  double sum_tt_ = 0.0;
  double sum_te_ = 0.0;
  double sum_ee_ = 0.0;
  double sum_bracket_ = 0.0;  ///< of squares
};

}  // namespace kareus::profile
