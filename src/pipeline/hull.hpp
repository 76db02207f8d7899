#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kareus/pipeline.hpp"
#include "pipeline/wide.hpp"

namespace kareus::pipeline {

/// The integers in which the curve is computed. Energies are measured in slope units times ticks, so that every
/// comparison in the solver is exact; `ticks_per_second` and `slope_units` only say how fine the integers are.
struct Grid {
  double ticks_per_second = 1e12;
  double slope_units = 1;  ///< per joule and tick

  std::int64_t ticks(Seconds time) const { return std::llround(time.si() * ticks_per_second); }
  Seconds seconds(double ticks) const { return Seconds(ticks / ticks_per_second); }
  Joules joules(Wide units) const { return Joules(static_cast<double>(units) / slope_units); }
  Watts watts(std::int64_t slope) const { return Watts(static_cast<double>(slope) / slope_units * ticks_per_second); }
};

/// The lower left convex hull of a function's options, from its cheapest option to its fastest.
struct Hull {
  std::vector<std::int64_t> ticks;  ///< durations, descending; at least one
  /// slopes[k] is the energy that one tick costs on the way from ticks[k-1] to ticks[k]; slopes[0] is 0. Strictly
  /// ascending.
  std::vector<std::int64_t> slopes;
  Joules slowest_energy;  ///< at ticks[0]

  std::int64_t slowest() const { return ticks.front(); }
  std::int64_t fastest() const { return ticks.back(); }
};

struct HullSet {
  Grid grid;
  std::vector<Hull> functions;
};

/// The hulls of all functions in one grid, chosen so that no path through the DAG and no sum of as many slopes as it
/// has nodes overflows: time in picoseconds (coarser by powers of 1000 when the work lasts longer than a few days),
/// slopes in units of which the largest has about 2^44. Errors: bad_input for a function without options, a time that
/// is not positive and finite (or too small for the grid), an energy that is not finite, and a lag or tail of the DAG
/// that is negative or not finite.
Result<HullSet> make_hulls(std::span<const std::vector<NodeOption>> functions, const Dag& dag);

/// The hulls with their slopes rounded to so many steps of the steepest one: nearly the same problem, with far fewer
/// breakpoints on its curve.
HullSet coarsened(const HullSet& hulls, std::int64_t steps);

}  // namespace kareus::pipeline
