#pragma once

#include <cstdint>
#include <vector>

#include "kareus/pipeline.hpp"
#include "kareus/rounding.hpp"

namespace kareus::pipeline {

/// The options of a function that are worth a look, ascending in time. Without clocks those that no other dominates,
/// hence descending in energy; with clocks that are dear to switch those that none of the same clock dominates.
struct Front {
  std::vector<std::uint32_t> option;  ///< index into the function's options
  std::vector<double> time;
  std::vector<double> energy;
  std::vector<Clock> clock;           ///< all zero when clocks are not told apart
  std::vector<std::uint32_t> corner;  ///< positions that describe the lower hull: few, and close to it everywhere
  bool descending = true;             ///< no two clocks in it compete: energy falls with time

  std::uint32_t size() const { return static_cast<std::uint32_t>(time.size()); }
  /// Position of the slowest option within `limit`, or of the fastest.
  std::uint32_t slowest_within(double limit) const;
  /// Position of the cheapest option within `limit`, or of the fastest.
  std::uint32_t cheapest_within(double limit) const;
};

/// One front per function.
std::vector<Front> make_fronts(const NodeCosts& costs, const ClockModel& clocks);

}  // namespace kareus::pipeline
