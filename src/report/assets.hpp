#pragma once

#include <string_view>

/// The page's files, turned into constants by embed.cmake.
namespace kareus::report::assets {

extern const std::string_view kPage;            ///< template with `{{name}}` places, of all pages
extern const std::string_view kReportBody;      ///< what is between its body tags, of the report of a run
extern const std::string_view kEvaluationBody;  ///< and of the page of an evaluation
extern const std::string_view kStyle;
extern const std::string_view kModelScript;       ///< data of the page: decoding, timing, critical instructions
extern const std::string_view kChartsScript;      ///< the charts' settings
extern const std::string_view kTimelinesScript;   ///< charts over time: power of a pipeline, kernels of a partition
extern const std::string_view kPipelinesScript;   ///< pipelines above each other, with their power
extern const std::string_view kFilesScript;       ///< records, CSV and JSON to download
extern const std::string_view kReportScript;      ///< what the page shows and how it answers
extern const std::string_view kEvaluationScript;  ///< the page of an evaluation
extern const std::string_view kChartLibrary;      ///< Chart.js with its licence line

}  // namespace kareus::report::assets
