// Runs a strategy, or our own search without one of its ingredients, on a table for many seeds; JSON on standard
// output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "kareus/search.hpp"
#include "kareus/table.hpp"

namespace {

using namespace kareus;
using search::AdaptiveOptions;

struct Arguments {
  std::string table;
  std::string space;
  std::string strategy;
  std::string prior_table;
  std::string prior_space;
  std::size_t budget = 224;
  std::size_t batch = 0;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 21;
  double stop_gain = 0;
  bool repeats = false;
  search::TableNoise noise;
};

const std::map<std::string, std::function<void(AdaptiveOptions&)>>& variants() {
  static const std::map<std::string, std::function<void(AdaptiveOptions&)>> all = {
      {"gaussian", [](AdaptiveOptions& o) { o.models = AdaptiveOptions::Models::gaussian; }},
      {"trees", [](AdaptiveOptions& o) { o.models = AdaptiveOptions::Models::trees; }},
      {"random_first_points", [](AdaptiveOptions& o) { o.space_filling = false; }},
      {"raw_labels", [](AdaptiveOptions& o) { o.log_labels = false; }},
      {"total_energy_only", [](AdaptiveOptions& o) { o.dynamic_direction = false; }},
      {"independent_batches", [](AdaptiveOptions& o) { o.believed_batches = false; }},
  };
  return all;
}

/// Counts CPU time spent in the strategy.
class Timed final : public search::Optimizer {
 public:
  explicit Timed(std::unique_ptr<search::Optimizer> inner) : inner_(std::move(inner)) {}
  Result<std::vector<search::Suggestion>> ask() override {
    return timed([&] { return inner_->ask(); });
  }
  Result<std::vector<search::Suggestion>> ask_more(std::size_t count) override { return inner_->ask_more(count); }
  Result<void> tell(std::span<const search::Evaluation> evaluations) override {
    return timed([&] { return inner_->tell(evaluations); });
  }
  std::optional<std::string> finished() const override { return inner_->finished(); }
  Result<std::vector<search::Estimate>> estimates() const override { return inner_->estimates(); }
  double seconds() const { return seconds_; }

 private:
  template <class Function>
  std::invoke_result_t<Function> timed(Function function) {
    const std::clock_t start = std::clock();
    auto result = function();
    seconds_ += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return result;
  }
  std::unique_ptr<search::Optimizer> inner_;
  double seconds_ = 0;
};

Result<std::unique_ptr<search::Optimizer>> make(const Arguments& arguments, const search::Table& table,
                                                std::uint64_t seed) {
  const auto variant = variants().find(arguments.strategy);
  if (variant == variants().end() && arguments.strategy != "adaptive") {
    return search::make_strategy(arguments.strategy, table.space,
                                 {.budget = arguments.budget, .static_power = table.static_power, .seed = seed});
  }
  AdaptiveOptions options{.budget = arguments.budget,
                          .static_power = table.static_power,
                          .seed = seed,
                          .stop_gain = arguments.stop_gain,
                          .repeats = arguments.repeats};
  if (arguments.batch > 0) options.batch_size = arguments.batch;
  if (variant != variants().end()) variant->second(options);
  if (!arguments.prior_table.empty()) {
    auto prior = search::read_table(arguments.prior_table, arguments.prior_space);
    if (!prior) return tl::unexpected(prior.error());
    std::vector<search::Evaluation> evaluations;
    for (std::size_t i = seed % 5; i < prior->objectives.size(); i += 5)
      evaluations.push_back({i, prior->objectives[i]});
    options.prior = std::pair(prior->space, evaluations);
  }
  return search::make_adaptive(table.space, options);
}

Result<nlohmann::json> run(const Arguments& arguments, const search::Table& table, std::uint64_t seed) {
  auto made = make(arguments, table, seed);
  if (!made) return tl::unexpected(made.error());
  Timed optimizer(std::move(*made));
  const std::vector<std::size_t> counts = {std::max<std::size_t>(1, arguments.budget / 4),
                                           std::max<std::size_t>(1, arguments.budget / 2), arguments.budget};
  search::TableNoise noise = arguments.noise;
  noise.seed = seed;
  const auto found = search::search_table(table, optimizer, noise, counts);
  if (!found) return tl::unexpected(found.error());
  const std::vector<double> ratios = search::anytime_ratios(table, found->steps);
  const auto at = [&](std::size_t count) { return ratios[std::min(count, ratios.size()) - 1]; };
  const auto first = [&](double wanted) -> nlohmann::json {
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      if (ratios[i] >= wanted) return i + 1;
    }
    return nullptr;
  };
  nlohmann::json first_points = nlohmann::json::array();
  for (const auto& step : found->steps) {
    if (step.suggestion.pass == search::Pass::initial) first_points.push_back(step.suggestion.candidate);
  }
  return nlohmann::json{{"seed", seed},
                        {"evaluations", found->steps.size()},
                        {"measured", {at(counts[0]), at(counts[1]), at(counts[2])}},
                        {"reported", found->reported_ratios},
                        {"dynamic", found->dynamic.ratio},
                        {"to_95", first(0.95)},
                        {"to_99", first(0.99)},
                        {"first", first_points},
                        {"seconds", optimizer.seconds()}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Runs a search strategy on a table");
  Arguments arguments;
  program.add_option("table", arguments.table)->required();
  program.add_option("space", arguments.space)->required();
  program.add_option("strategy", arguments.strategy)->required();
  program.add_option("--prior-table", arguments.prior_table);
  program.add_option("--prior-space", arguments.prior_space);
  program.add_option("--budget", arguments.budget);
  program.add_option("--batch", arguments.batch);
  program.add_option("--first-seed", arguments.first_seed);
  program.add_option("--seeds", arguments.seeds);
  program.add_option("--stop-gain", arguments.stop_gain);
  program.add_flag("--repeats", arguments.repeats);
  program.add_option("--time-noise", arguments.noise.time);
  program.add_option("--energy-noise", arguments.noise.energy);
  program.add_option("--outliers", arguments.noise.outliers);
  CLI11_PARSE(program, argc, argv);
  const auto table = search::read_table(arguments.table, arguments.space);
  if (!table) {
    std::cerr << table.error().to_string();
    return exit_code(table.error().code);
  }
  nlohmann::json runs = nlohmann::json::array();
  for (std::uint64_t seed = arguments.first_seed; seed < arguments.first_seed + arguments.seeds; ++seed) {
    const auto result = run(arguments, *table, seed);
    if (!result) {
      std::cerr << result.error().to_string();
      return exit_code(result.error().code);
    }
    runs.push_back(*result);
  }
  std::cout << nlohmann::json{{"strategy", arguments.strategy},
                              {"configurations", table->space.rows.size()},
                              {"runs", runs}}
            << "\n";
  return 0;
}
