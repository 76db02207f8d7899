#pragma once

#include <nlohmann/json.hpp>

#include "kareus/schedule.hpp"

namespace kareus::report {

/// A frontier as the pages' scripts read it. Times are in s, energies in J of one GPU per stage (`energy_scale` turns
/// them into the whole job's), clocks in MHz. Options are written once per distinct stage and schedules once; a point's
/// choices are arrays of option indices, forwards then backwards of each stage in execution order, in which a negative
/// number -n repeats the index before it n more times.
///
/// The values of points are exact, those of options rounded to seven digits. A number that is not finite, or a choice
/// outside the options, is a logic error.
nlohmann::ordered_json series_data(const schedule::FrontierFile& file);

}  // namespace kareus::report
