#pragma once

#include <string>

#include "kareus/report.hpp"

namespace kareus::report {

/// The data of the page as JSON, the same bytes for the same value. Times are in s, energies in J of one GPU per stage
/// (`energy_scale` turns them into the whole job's), clocks in MHz. Options are written once per distinct stage and
/// schedules once per series; a point's choices are arrays of option indices, forwards then backwards of each stage in
/// execution order, in which a negative number -n repeats the index before it n more times.
///
/// A trace is written as the index of its point and its intervals: start, duration, index into `kernels` or -1, SMs of
/// compute and of communication, watts, MHz.
///
/// The values of frontier points are exact; those of options, partition configurations and traces are rounded to seven
/// digits. Bytes that are not UTF-8 are replaced. A number that is not finite, or a choice outside the options,
/// is a logic error.
std::string page_data(const ReportInput& input);

}  // namespace kareus::report
