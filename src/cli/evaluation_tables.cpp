#include "cli/evaluation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

namespace {

std::string end_text(const evaluate::RangeEnd& end) {
  return end.value == end.wanted ? fmt::format("{:g}", end.value)
                                 : fmt::format("{:.3g} (range to {:g})", end.value, end.wanted);
}

/// How far the energy saved at equal time moves.
double reach(const evaluate::Influence& one) {
  return std::abs(one.high.headline.iso_time_energy - one.low.headline.iso_time_energy);
}

}  // namespace

report::ReportTable headline_table(const evaluate::Sensitivity& sensitivity) {
  report::ReportTable table{.heading = "Headline with its band, calibrated",
                            .header = {"measure", "percent", "band, low end", "band, high end"},
                            .rows = {}};
  for (const auto& [name, measure] : evaluate::headline_measures()) {
    table.rows.push_back({name, fmt::format("{:.2f}", sensitivity.nominal.*measure),
                          fmt::format("{:.2f}", sensitivity.low.*measure),
                          fmt::format("{:.2f}", sensitivity.high.*measure)});
  }
  return table;
}

report::ReportTable sensitivity_table(const evaluate::Sensitivity& sensitivity) {
  report::ReportTable table{.heading = "Sensitivity to the device's constants, calibrated, percent",
                            .header = {"constant", "low end", "high end"},
                            .rows = {}};
  for (const auto& [name, measure] : evaluate::headline_measures()) table.header.push_back(name);
  std::vector<const evaluate::Influence*> by_reach;
  for (const evaluate::Influence& one : sensitivity.influences) by_reach.push_back(&one);
  std::stable_sort(by_reach.begin(), by_reach.end(),
                   [](const auto* a, const auto* b) { return reach(*a) > reach(*b); });
  for (const evaluate::Influence* one : by_reach) {
    auto& row =
        table.rows.emplace_back(std::vector<std::string>{one->constant, end_text(one->low), end_text(one->high)});
    for (const auto& [name, measure] : evaluate::headline_measures()) {
      row.push_back(fmt::format("{:.2f} to {:.2f}", one->low.headline.*measure, one->high.headline.*measure));
    }
  }
  return table;
}

report::ReportTable parts_table(const evaluate::Evaluation& evaluation) {
  report::ReportTable table{.heading = "Parts, means over the workloads, calibrated",
                            .header = {"method", "less time %", "less energy %", "iso-time energy %",
                                       "iso-energy time %", "hypervolume %", "measured"},
                            .rows = {}};
  const auto rows = evaluate::rows(evaluation);
  for (const evaluate::Recipe& recipe : evaluation.recipes) {
    std::vector<const evaluate::Row*> of_recipe;
    for (const evaluate::Row& row : rows) {
      if (row.recipe == recipe.name && row.calibrated) of_recipe.push_back(&row);
    }
    if (of_recipe.empty()) continue;
    // Without a value on one of the workloads there is no mean over them.
    const auto mean = [&](auto value) -> std::optional<double> {
      double sum = 0.0;
      for (const evaluate::Row* row : of_recipe) {
        const std::optional<double> one = value(*row);
        if (!one) return std::nullopt;
        sum += *one;
      }
      return sum / static_cast<double>(of_recipe.size());
    };
    const auto of = [&](auto member) { return mean([&](const evaluate::Row& row) { return row.*member; }); };
    const auto measured = mean([](const evaluate::Row& row) { return static_cast<double>(row.measurements); });
    const auto volume = of(&evaluate::Row::hypervolume);
    table.rows.push_back({recipe.name, percent(of(&evaluate::Row::time_reduction)),
                          percent(of(&evaluate::Row::energy_reduction)), percent(of(&evaluate::Row::iso_time_energy)),
                          percent(of(&evaluate::Row::iso_energy_time)), fmt::format("{:.2f}", *volume),
                          fmt::format("{:.0f}", *measured)});
  }
  return table;
}

report::ReportTable microbatch_table(const evaluate::Evaluation& evaluation) {
  report::ReportTable table = measures_table(evaluate::rows(evaluation), true);
  table.heading = "Sensitivity to the microbatch size, calibrated";
  table.header.push_back("fits the memory");
  for (auto& row : table.rows) {
    const auto of_row = std::find_if(evaluation.workloads.begin(), evaluation.workloads.end(),
                                     [&](const auto& one) { return one.workload.name == row.front(); });
    row.push_back(workload::memory_problem(of_row->workload, evaluation.memory_capacity) ? "no" : "yes");
  }
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
        input.frontiers.push_back({workload.workload.name, level(outcome.calibrated), result.recipe, outcome.points,
                                   outcome.ends});
      }
    }
  }
  return input;
}

}  // namespace kareus::cli
