#pragma once

#include "kareus/report.hpp"

namespace kareus::report {

/// How large an example is.
struct ExampleSize {
  int stages = 2;
  int microbatches = 8;
  int points = 30;
  int clocks = 34;  ///< from 1410 MHz down in steps of 15 MHz
  int partition_points = 200;
};

/// A report of a run that could have been: overlapped execution that is a little faster than sequential execution, GPU
/// power that grows with the cube of the clock, instructions with slack slowed down. From formulas, nothing measured.
ReportInput example_report(const ExampleSize& size = {});

/// The example with markup, quotes, line ends and bytes that are not UTF-8 in every text.
ReportInput hostile_report();

/// The least that a report can be of: a frontier with one point, no baselines and no partitions.
ReportInput smallest_report();

}  // namespace kareus::report
