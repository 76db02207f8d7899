#pragma once

#include <optional>
#include <vector>

#include "kareus/schedule.hpp"

namespace kareus::evaluate {

/// Points of a frontier, fastest first, at least one.
using Points = std::vector<schedule::FrontierPoint>;

/// What a frontier saves against another, percent; nothing where no point of it is within the limit.
double time_reduction(const Points& ours, const Points& base);    ///< fastest points
double energy_reduction(const Points& ours, const Points& base);  ///< fastest points
/// Least energy within the base's fastest time, against the base's energy there.
std::optional<double> iso_time_energy(const Points& ours, const Points& base);
/// Least time within the base's least energy, against the base's time there.
std::optional<double> iso_energy_time(const Points& ours, const Points& base);

/// The corner that hypervolumes of one workload are measured from: 1.1 times the longest time and the most energy.
struct Corner {
  Seconds time;
  Joules energy;
};
/// Of all of them together, which are not empty.
Corner corner_of(const std::vector<const Points*>& frontiers);
/// Share of the box from nothing to the corner that the frontier dominates, percent.
double hypervolume(const Points& points, const Corner& corner);

}  // namespace kareus::evaluate
