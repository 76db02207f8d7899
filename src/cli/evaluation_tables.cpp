#include "cli/evaluation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "kareus/memory.hpp"

namespace kareus::cli {
namespace {

std::string percent(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : "-";
}

std::string level(bool calibrated) {
  return calibrated ? "calibrated" : "blind";
}

report::ReportTable measures_table(const std::vector<evaluate::Row>& rows, bool calibrated) {
  report::ReportTable table{
      .heading = fmt::format("Measures, {}", level(calibrated)),
      .header = {"workload", "method", "time s", "energy J", "static %", "less time %", "less energy %",
                 "iso-time energy %", "iso-energy time %", "hypervolume %", "emulated time %", "emulated energy %",
                 "parking saves %", "measured", "GPU-hours"},
      .rows = {}};
  for (const evaluate::Row& row : rows) {
    if (row.calibrated != calibrated) continue;
    table.rows.push_back({row.workload, row.recipe, fmt::format("{:.3f}", row.time.si()),
                          fmt::format("{:.0f}", row.energy.si()),
                          fmt::format("{:.1f}", 100.0 * (row.static_energy / row.energy)), percent(row.time_reduction),
                          percent(row.energy_reduction), percent(row.iso_time_energy), percent(row.iso_energy_time),
                          fmt::format("{:.2f}", row.hypervolume), fmt::format("{:+.2f}", row.emulated_time),
                          fmt::format("{:+.2f}", row.emulated_energy), fmt::format("{:.2f}", row.parking_saves),
                          std::to_string(row.measurements), fmt::format("{:.1f}", row.profiling_gpu_hours)});
  }
  return table;
}

report::ReportTable goals_table(const evaluate::Evaluation& evaluation) {
  report::ReportTable table{.heading = "Goals against the published method",
                            .header = {"method", "goal", "level", "value", "reached", "where"},
                            .rows = {}};
  for (const evaluate::Goal& goal : evaluate::goals(evaluation)) {
    table.rows.push_back({goal.recipe, goal.what, level(goal.calibrated), fmt::format("{:.2f}", goal.value),
                          goal.reached ? "yes" : "no", goal.detail});
  }
  return table;
}

report::ReportTable published_table(const std::vector<evaluate::PublishedRow>& published, bool calibrated) {
  report::ReportTable table{
      .heading = fmt::format("Published figures beside ours, {}", level(calibrated)),
      .header = {"figure", "workload", "method", "measure", "published %", "ours %", "points", "difference"},
      .rows = {}};
  for (const evaluate::PublishedRow& row : published) {
    if (row.calibrated != calibrated) continue;
    table.rows.push_back({row.what, row.workload, row.recipe, row.measure, fmt::format("{:.1f}", row.published),
                          fmt::format("{:.1f}", row.ours), fmt::format("{:+.1f}", row.ours - row.published), row.note});
  }
  return table;
}

report::ReportTable memory_table(const evaluate::Evaluation& evaluation) {
  report::ReportTable table{.heading = "Memory estimate, largest stage",
                            .header = {"workload", "states GiB", "checkpoints", "activations", "logits", "nanobatches",
                                       "peak GiB", "sequential GiB", "fits"},
                            .rows = {}};
  const auto largest = [](const workload::Workload& workload, bool overlapped) {
    const auto stages = workload::estimate_memory(workload, overlapped);
    return *std::max_element(stages.begin(), stages.end(),
                             [](const auto& a, const auto& b) { return a.peak() < b.peak(); });
  };
  const auto gibi = [](Bytes bytes) { return fmt::format("{:.1f}", bytes.si() / (1024.0 * 1024.0 * 1024.0)); };
  for (const evaluate::WorkloadResults& one : evaluation.workloads) {
    const auto memory = largest(one.workload, one.workload.can_overlap());
    table.rows.push_back({one.workload.name, gibi(memory.states), gibi(memory.checkpoints), gibi(memory.activations),
                          gibi(memory.logits), gibi(memory.nanobatches), gibi(memory.peak()),
                          gibi(largest(one.workload, false).peak()),
                          workload::memory_problem(one.workload, evaluation.memory_capacity) ? "no" : "yes"});
  }
  return table;
}

}  // namespace

std::vector<report::ReportTable> evaluation_tables(const evaluate::Evaluation& evaluation,
                                                   const std::vector<evaluate::PublishedRow>& published) {
  const auto rows = evaluate::rows(evaluation);
  std::vector<report::ReportTable> tables = {measures_table(rows, false),      measures_table(rows, true),
                                             goals_table(evaluation),          published_table(published, false),
                                             published_table(published, true), memory_table(evaluation)};
  std::erase_if(tables, [](const report::ReportTable& table) { return table.rows.empty(); });
  return tables;
}

report::ReportTable sensitivity_table(const evaluate::Sensitivity& sensitivity) {
  report::ReportTable table{
      .heading = "Sensitivity: means over the workloads, calibrated, percent",
      .header = {"constant", "value", "less time", "less energy", "iso-time energy", "iso-energy time"},
      .rows = {}};
  const auto add = [&](const std::string& name, const std::string& value, const evaluate::Headline& headline) {
    table.rows.push_back(
        {name, value, fmt::format("{:.2f}", headline.time_reduction), fmt::format("{:.2f}", headline.energy_reduction),
         fmt::format("{:.2f}", headline.iso_time_energy), fmt::format("{:.2f}", headline.iso_energy_time)});
  };
  add("as described", "", sensitivity.nominal);
  add("band, low end", "", sensitivity.low);
  add("band, high end", "", sensitivity.high);
  for (const evaluate::Influence& one : sensitivity.influences) {
    add(one.constant, fmt::format("{:g}", one.low), one.at_low);
    add(one.constant, fmt::format("{:g}", one.high), one.at_high);
  }
  return table;
}

report::ReportTable microbatch_table(const evaluate::Evaluation& evaluation) {
  report::ReportTable table = measures_table(evaluate::rows(evaluation), true);
  table.heading = "Sensitivity to the microbatch size, calibrated";
  return table;
}

report::ReportTable case_study_table(const evaluate::WorkloadResults& workload) {
  report::ReportTable table{.heading = "Case study: schedules of the fastest plans of " + workload.workload.name,
                            .header = {"method", "commonest schedule"},
                            .rows = {}};
  for (const evaluate::RecipeResult& result : workload.results) {
    if (result.outcomes.empty()) continue;
    for (const std::string& line : result.outcomes.back().schedules) table.rows.push_back({result.recipe, line});
  }
  return table;
}

std::string tables_as_text(const std::vector<report::ReportTable>& tables) {
  std::string text;
  for (const report::ReportTable& table : tables) {
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", table.heading, text_table(table.header, table.rows));
  }
  return text;
}

std::string tables_as_markdown(const std::vector<report::ReportTable>& tables) {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    text += "|";
    for (const std::string& cell : cells) text += fmt::format(" {} |", cell);
    text += "\n";
  };
  for (const report::ReportTable& table : tables) {
    text += fmt::format("\n## {}\n\n", table.heading);
    line(table.header);
    line(std::vector<std::string>(table.header.size(), "---"));
    for (const auto& row : table.rows) line(row);
  }
  return text;
}

report::EvaluationInput evaluation_page(const evaluate::Evaluation& evaluation,
                                        std::vector<report::ReportTable> tables) {
  report::EvaluationInput input{.title = fmt::format("Evaluation on {}", evaluation.device),
                                .facts = {{"Device", evaluation.device + ", simulated"},
                                          {"Workloads", std::to_string(evaluation.workloads.size())},
                                          {"Energies", "of one GPU of each stage"}},
                                .frontiers = {},
                                .tables = std::move(tables)};
  for (const evaluate::WorkloadResults& workload : evaluation.workloads) {
    for (const evaluate::RecipeResult& result : workload.results) {
      for (const evaluate::Outcome& outcome : result.outcomes) {
        input.frontiers.push_back({workload.workload.name, level(outcome.calibrated), result.recipe, outcome.points});
      }
    }
  }
  return input;
}

}  // namespace kareus::cli
