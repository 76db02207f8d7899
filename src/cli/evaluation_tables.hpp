#pragma once

#include <string>
#include <vector>

#include "kareus/evaluation.hpp"
#include "kareus/report.hpp"

namespace kareus::cli {

/// An evaluation as tables: measures by level, goals, published figures beside ours.
std::vector<report::ReportTable> evaluation_tables(const evaluate::Evaluation& evaluation,
                                                   const std::vector<evaluate::PublishedRow>& published);

/// Kareus without each of its parts and with each of ours, with in-situ costs; means over the workloads.
report::ReportTable parts_table(const evaluate::Evaluation& evaluation);
/// What the headline is at the ends of the ranges of a device's constants, and its band.
report::ReportTable headline_table(const evaluate::Sensitivity& sensitivity);
report::ReportTable sensitivity_table(const evaluate::Sensitivity& sensitivity);
/// Kareus and its baselines at other microbatch sizes, with in-situ costs.
report::ReportTable microbatch_table(const evaluate::Evaluation& evaluation);
/// The schedules that the fastest plans of one workload take, with in-situ costs.
report::ReportTable case_study_table(const evaluate::WorkloadResults& workload);

std::string tables_as_text(const std::vector<report::ReportTable>& tables);
std::string tables_as_markdown(const std::vector<report::ReportTable>& tables);

report::EvaluationInput evaluation_page(const evaluate::Evaluation& evaluation,
                                        std::vector<report::ReportTable> tables);

}  // namespace kareus::cli
