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
  std::string strategy = "kareus";
  std::size_t budget = 0;
  std::uint64_t seed = 0;
  bool json = false;
};

/// The published shape of a search (96 at random, then 4 batches of 32) stretched to another budget.
search::MultiPassOptions sizes(std::size_t budget) {
  search::MultiPassOptions options;
  const std::size_t published = options.initial + options.batches * options.batch_size;
  if (budget == 0 || budget == published) return options;
  options.batch_size = budget * options.batch_size / published;
  options.initial = budget - options.batches * options.batch_size;
  if (options.batch_size == 0) options.batches = 0;
  return options;
}

Result<std::unique_ptr<search::Optimizer>> make_optimizer(const Arguments& arguments, const search::Table& table) {
  search::MultiPassOptions options = sizes(arguments.budget);
  options.static_power = table.static_power;
  options.seed = arguments.seed;
  if (arguments.strategy == "random") {
    const std::size_t budget = options.initial + options.batches * options.batch_size;
    return search::make_random(table.space, budget, arguments.seed);
  }
  return search::make_multi_pass(table.space, options);
}

const search::TableStep& step_of(const search::TableSearch& found, std::size_t candidate) {
  return *std::find_if(found.steps.begin(), found.steps.end(),
                       [&](const search::TableStep& step) { return step.suggestion.candidate == candidate; });
}

std::string as_json(const Arguments& arguments, const search::Table& table, const search::TableSearch& found) {
  nlohmann::ordered_json front = nlohmann::ordered_json::array();
  for (const std::size_t candidate : found.total.candidates) {
    const search::TableStep& step = step_of(found, candidate);
    front.push_back({{"configuration", table.labels[candidate]},
                     {"time_s", step.objectives->time},
                     {"energy_j", step.objectives->energy + table.static_power * step.objectives->time},
                     {"pass", to_string(step.suggestion.pass)}});
  }
  return nlohmann::ordered_json{{"strategy", arguments.strategy},
                                {"seed", arguments.seed},
                                {"configurations", table.space.rows.size()},
                                {"evaluations", found.steps.size()},
                                {"finished", found.finished},
                                {"hypervolume_ratio", found.total.ratio},
                                {"dynamic_hypervolume_ratio", found.dynamic.ratio},
                                {"front", front}}
             .dump(2) +
         "\n";
}

std::string as_text(const search::Table& table, const search::TableSearch& found) {
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t candidate : found.total.candidates) {
    const search::TableStep& step = step_of(found, candidate);
    rows.push_back({human(Seconds(step.objectives->time)),
                    human(Joules(step.objectives->energy + table.static_power * step.objectives->time)),
                    to_string(step.suggestion.pass), table.labels[candidate]});
  }
  std::string text = text_table(std::vector<std::string>{"time", "energy", "pass", "configuration"}, rows);
  text += fmt::format(
      "\n{} of {} configurations evaluated ({}); hypervolume {:.4f} of the exhaustive front's (dynamic energy: "
      "{:.4f})\n",
      found.steps.size(), table.space.rows.size(), found.finished, found.total.ratio, found.dynamic.ratio);
  return text;
}

int run(const Arguments& arguments) {
  auto table = search::read_table(arguments.table, arguments.space);
  if (!table) return print_error(table.error());
  for (const std::string& note : table->notes) spdlog::warn("{}", note);
  auto optimizer = make_optimizer(arguments, *table);
  if (!optimizer) return print_error(optimizer.error());
  auto found = search::search_table(*table, **optimizer);
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
  command->add_option("--strategy", arguments->strategy, "kareus (the published search) or random")
      ->check(CLI::IsMember({"kareus", "random"}))
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "Evaluations at most; the published 224 when absent")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seed", arguments->seed, "Seed of the search")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
