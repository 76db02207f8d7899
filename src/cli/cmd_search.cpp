#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "kareus/search.hpp"
#include "kareus/table.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string table;
  std::string space;
  std::string strategy = search::strategy_names().front();
  std::size_t budget = 224;
  std::uint64_t seed = 0;
  double noise_percent = 0;
  double outlier_percent = 0;
  double failure_percent = 0;
  double stop_percent = 0;
  bool json = false;
};

/// A believed front member, with the pass that found it.
struct FrontRow {
  std::string configuration;
  Seconds time;
  Joules energy;
  std::string pass;
};

std::vector<FrontRow> front_rows(const search::Table& table, const search::TableSearch& found) {
  std::vector<FrontRow> rows;
  for (const std::size_t candidate : found.reported.candidates) {
    const auto step = std::find_if(found.steps.begin(), found.steps.end(),
                                   [&](const search::TableStep& one) { return one.suggestion.candidate == candidate; });
    const auto estimate = std::find_if(found.estimates.begin(), found.estimates.end(),
                                       [&](const search::Estimate& one) { return one.candidate == candidate; });
    const search::Objectives& value = estimate->objectives;
    rows.push_back({.configuration = table.labels[candidate],
                    .time = Seconds(value.time),
                    .energy = Joules(value.energy + table.static_power * value.time),
                    .pass = to_string(step->suggestion.pass)});
  }
  return rows;
}

std::string as_json(const Arguments& arguments, const search::Table& table, const search::TableSearch& found) {
  nlohmann::ordered_json front = nlohmann::ordered_json::array();
  for (const FrontRow& row : front_rows(table, found)) {
    front.push_back({{"configuration", row.configuration},
                     {"time_s", row.time.si()},
                     {"energy_j", row.energy.si()},
                     {"pass", row.pass}});
  }
  return nlohmann::ordered_json{{"strategy", arguments.strategy},
                                {"seed", arguments.seed},
                                {"configurations", table.space.rows.size()},
                                {"evaluations", found.steps.size()},
                                {"finished", found.finished},
                                {"hypervolume_ratio", found.total.ratio},
                                {"dynamic_hypervolume_ratio", found.dynamic.ratio},
                                {"reported_hypervolume_ratio", found.reported.ratio},
                                {"front", front}}
             .dump(2) +
         "\n";
}

std::string as_text(const search::Table& table, const search::TableSearch& found) {
  std::vector<std::vector<std::string>> rows;
  for (const FrontRow& row : front_rows(table, found)) {
    rows.push_back({human(row.time), human(row.energy), row.pass, row.configuration});
  }
  std::string text = text_table(std::vector<std::string>{"time", "energy", "pass", "configuration"}, rows);
  text += fmt::format(
      "\n{} evaluations of {} configurations ({}); hypervolume {:.4f} of the exhaustive front's (dynamic energy: "
      "{:.4f}), of the front above {:.4f}\n",
      found.steps.size(), table.space.rows.size(), found.finished, found.total.ratio, found.dynamic.ratio,
      found.reported.ratio);
  return text;
}

int run(const Arguments& arguments) {
  auto table = search::read_table(arguments.table, arguments.space);
  if (!table) return print_error(table.error());
  for (const std::string& note : table->notes) spdlog::warn("{}", note);
  const search::TableNoise noise{.time = arguments.noise_percent / 100,
                                 .energy = arguments.noise_percent / 100,
                                 .outliers = arguments.outlier_percent / 100,
                                 .failures = arguments.failure_percent / 100,
                                 .seed = arguments.seed};
  const bool may_be_wrong = arguments.noise_percent > 0 || arguments.outlier_percent > 0;
  auto optimizer = search::make_strategy(arguments.strategy, table->space,
                                         {.budget = arguments.budget,
                                          .static_power = table->static_power,
                                          .seed = arguments.seed,
                                          .stop_gain = arguments.stop_percent / 100,
                                          .repeats = may_be_wrong});
  if (!optimizer) return print_error(optimizer.error());
  auto found = search::search_table(*table, **optimizer, noise);
  if (!found) return print_error(found.error());
  return print_result(arguments.json ? as_json(arguments, *table, *found) : as_text(*table, *found));
}

}  // namespace

void add_search(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("search", "Search a table of measurements for its time-energy front");
  command->footer(
      "Example: kareus search tests/data/a100-attn-tp2-sweep.csv --space tests/data/a100-attn-tp2-sweep.toml");
  command->add_option("table", arguments->table, "Measurements (CSV)")->required();
  command->add_option("--space", arguments->space, "What the columns mean (TOML)")->required();
  command->add_option("--strategy", arguments->strategy, "adaptive (ours), kareus (the published search) or random")
      ->check(CLI::IsMember(search::strategy_names()))
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "Evaluations at most")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--noise", arguments->noise_percent, "Noise of every measurement, percent of time and energy")
      ->check(CLI::Range(0.0, 50.0));
  command->add_option("--outliers", arguments->outlier_percent, "Measurements off by 0.5x or 3x, percent")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--failures", arguments->failure_percent, "Measurements that fail, percent")
      ->check(CLI::Range(0.0, 100.0));
  command
      ->add_option("--stop", arguments->stop_percent, "adaptive stops when a batch is expected to gain less, percent")
      ->check(CLI::Range(0.0, 50.0));
  command->add_option("--seed", arguments->seed, "Seed of the search")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
