#pragma once

#include <string>

#include "kareus/report.hpp"

namespace kareus::report {

/// The data of the page as JSON, the same bytes for the same value: `series_data` of every frontier, and the rest.
///
/// A trace is written as the index of its point and its intervals: start, duration, index into `kernels` or -1, SMs of
/// compute and of communication, watts, MHz.
///
/// The values of partition configurations and traces are rounded to seven digits. Bytes that are not UTF-8 are
/// replaced. A number that is not finite is a logic error.
std::string page_data(const ReportInput& input);

}  // namespace kareus::report
