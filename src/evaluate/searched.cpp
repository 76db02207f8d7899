#include "evaluate/searched.hpp"

#include <algorithm>

#include "kareus/table.hpp"
#include "planner/families.hpp"

namespace kareus::evaluate {
namespace {

/// The published search without one of its passes: the others share its measurements as they share the rest.
search::MultiPassOptions without_pass(search::MultiPassOptions options, search::Pass pass) {
  const double uncertainty = 1.0 - options.total_share - options.dynamic_share - options.static_share;
  double left = 1.0 - uncertainty;
  switch (pass) {
    case search::Pass::total_energy:
      left = 1.0 - std::exchange(options.total_share, 0.0);
      break;
    case search::Pass::dynamic_energy:
      left = 1.0 - std::exchange(options.dynamic_share, 0.0);
      break;
    case search::Pass::static_energy:
      left = 1.0 - std::exchange(options.static_share, 0.0);
      break;
    case search::Pass::uncertainty:
      break;
    case search::Pass::initial:
    case search::Pass::repeat:
      KAREUS_CHECK(false);
  }
  options.total_share /= left;
  options.dynamic_share /= left;
  options.static_share /= left;
  return options;
}

Result<std::unique_ptr<search::Optimizer>> make_optimizer(const Recipe& recipe, const workload::PartitionType& type,
                                                          search::Space space, Watts static_power, std::uint64_t seed) {
  const search::StrategyOptions options = planner::search_options(type, static_power, seed);
  if (!recipe.without) {
    return search::make_strategy(recipe.search == Search::multi_pass ? "kareus" : "adaptive", std::move(space),
                                 options);
  }
  search::MultiPassOptions passes = without_pass(search::published_sizes(type.slots.size()), *recipe.without);
  passes.static_power = options.static_power;
  passes.seed = options.seed;
  return search::make_multi_pass(std::move(space), passes);
}

Result<void> search_type(const Recipe& recipe, const workload::PartitionType& type, const Exhaustive& simulated,
                         const device::NoiseModel& noise, std::uint64_t seed, planner::Measured& into) {
  const Watts static_power = simulated.overlapped.static_power;
  const auto& all = simulated.overlapped.measurements;
  // All candidates of a type follow each other in the order of its space.
  const auto first = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.work == type.name; });
  search::Table table{.space = planner::partition_space(type, simulated.info).features,
                      .objectives = {},
                      .labels = {},
                      .static_power = static_power.si(),
                      .notes = {}};
  for (std::size_t i = 0; i < table.space.rows.size(); ++i) {
    const profile::Measurement& one = *(first + static_cast<std::ptrdiff_t>(i));
    KAREUS_CHECK(one.work == type.name);
    table.objectives.push_back(
        search::Objectives{.time = one.time.si(), .energy = one.effective_energy(static_power).si()});
  }
  auto optimizer = make_optimizer(recipe, type, table.space, static_power, seed);
  if (!optimizer) return tl::unexpected(std::move(optimizer).error());
  const search::TableNoise draws{
      .time = noise.time_cv, .energy = noise.energy_cv, .outliers = 0, .failures = 0, .seed = seed};
  auto steps = search::search_table(table, **optimizer, draws);
  if (!steps) return tl::unexpected(std::move(steps).error());
  for (const search::TableStep& step : steps->steps) {
    profile::Measurement one = *(first + static_cast<std::ptrdiff_t>(step.suggestion.candidate));
    one.time = Seconds(step.objectives->time);
    one.energy = Joules(step.objectives->energy) + static_power * one.time;
    one.found_by = to_string(step.suggestion.pass);
    into.measurements.push_back(std::move(one));
  }
  return {};
}

}  // namespace

Result<planner::Measured> searched(const Recipe& recipe, const Exhaustive& simulated, const device::NoiseModel& noise,
                                   std::uint64_t seed) {
  planner::Measured measured = simulated.sequential;
  for (const workload::PartitionType& type : simulated.parts.types) {
    KAREUS_RETURN_IF_ERROR(search_type(recipe, type, simulated, noise, seed, measured));
  }
  return measured;
}

}  // namespace kareus::evaluate
