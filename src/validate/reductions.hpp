#pragma once

#include <optional>

#include "kareus/schedule.hpp"

namespace kareus::validate {

/// What a frontier saves against another, percent; nothing where no point of it is within the limit.
double time_reduction(const schedule::FrontierFile& ours, const schedule::FrontierFile& base);    ///< fastest points
double energy_reduction(const schedule::FrontierFile& ours, const schedule::FrontierFile& base);  ///< fastest points
/// Least energy within the base's fastest time, against the base's energy there.
std::optional<double> iso_time_energy(const schedule::FrontierFile& ours, const schedule::FrontierFile& base);
/// Least time within the base's least energy, against the base's time there.
std::optional<double> iso_energy_time(const schedule::FrontierFile& ours, const schedule::FrontierFile& base);

}  // namespace kareus::validate
