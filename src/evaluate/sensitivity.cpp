#include <algorithm>
#include <cmath>

#include "evaluate/find.hpp"
#include "kareus/calibrate.hpp"
#include "kareus/evaluation.hpp"

namespace kareus::evaluate {
namespace {

constexpr HeadlineMeasure kMeasures[] = {
    {"less time", &Headline::time_reduction},        {"less energy", &Headline::energy_reduction},
    {"iso-time energy", &Headline::iso_time_energy}, {"iso-energy time", &Headline::iso_energy_time},
    {"exact solver", &Headline::exact_solver},       {"static power by clock", &Headline::static_power},
    {"adaptive search", &Headline::adaptive_search}, {"parked clocks", &Headline::parked_clocks}};

constexpr const char* kBest = "exhaustive";
constexpr const char* kPublished = "kareus-published";
constexpr const char* kWithSolver = "published + exact solver";
constexpr const char* kWithStaticPower = "published + exact solver + static power by clock";

/// What the headline is made of.
std::vector<Recipe> headline_recipes() {
  std::vector<Recipe> chosen;
  for (const auto& all : {methods(), ablations()}) {
    for (const Recipe& recipe : all) {
      for (const char* name : {"megatron", "megatron-perseus", kBest, kPublished, kWithSolver, kWithStaticPower,
                               "kareus", "kareus-parked"}) {
        if (recipe.name == name) chosen.push_back(recipe);
      }
    }
  }
  return chosen;
}

Headline headline_of(const Evaluation& evaluation) {
  Headline sum;
  const double share = 1.0 / static_cast<double>(evaluation.workloads.size());
  for (const WorkloadResults& workload : evaluation.workloads) {
    const bool calibrated = workload.results.front().outcomes.back().calibrated;
    const auto points = [&](const char* recipe) -> const Points& { return *find_points(workload, recipe, calibrated); };
    const Points& perseus = points("megatron-perseus");
    const auto saved = [&](const char* recipe) { return iso_time_energy(points(recipe), perseus).value_or(0.0); };
    sum.time_reduction += share * time_reduction(points(kBest), points("megatron"));
    sum.energy_reduction += share * energy_reduction(points(kBest), points("megatron"));
    sum.iso_time_energy += share * saved(kBest);
    sum.iso_energy_time += share * iso_energy_time(points(kBest), perseus).value_or(0.0);
    sum.exact_solver += share * (saved(kWithSolver) - saved(kPublished));
    sum.static_power += share * (saved(kWithStaticPower) - saved(kWithSolver));
    sum.adaptive_search += share * (saved("kareus") - saved(kWithStaticPower));
    sum.parked_clocks += share * (saved("kareus-parked") - saved("kareus"));
  }
  return sum;
}

/// The device with a constant at an end of its range or, where other constants leave no room for that, as near to it as
/// makes sense; `end.value` becomes the value taken. Errors: bad_input for a description that is wrong as it is.
Result<device::DeviceDescription> with_end(const device::DeviceDescription& device, device::Constant constant,
                                           RangeEnd& end) {
  constexpr int kHalvings = 12;
  const double described = constant.value;
  const auto at = [&](double value) {
    constant.value = value;
    return calibrate::with_constants(device, {constant});
  };
  end.value = end.wanted;
  auto changed = at(end.wanted);
  if (changed) return changed;
  double fits = described;
  double fails = end.wanted;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (fits + fails);
    (at(middle) ? fits : fails) = middle;
  }
  end.value = fits;
  return at(fits);
}

void widen(Sensitivity& result) {
  for (const auto& [name, measure] : kMeasures) {
    double below = 0.0;
    double above = 0.0;
    const double nominal = result.nominal.*measure;
    for (const Influence& one : result.influences) {
      const auto [least, most] = std::minmax({one.low.headline.*measure, one.high.headline.*measure, nominal});
      below += (nominal - least) * (nominal - least);
      above += (most - nominal) * (most - nominal);
    }
    result.low.*measure = nominal - std::sqrt(below);
    result.high.*measure = nominal + std::sqrt(above);
  }
}

}  // namespace

std::span<const HeadlineMeasure> headline_measures() {
  return kMeasures;
}

Result<Sensitivity> sensitivity(std::span<const workload::Workload> workloads, const device::DeviceDescription& device,
                                const EvaluationOptions& options) {
  const std::vector<Recipe> recipes = headline_recipes();
  const auto ranged = std::count_if(device.constants.begin(), device.constants.end(),
                                    [](const device::Constant& constant) { return constant.range.has_value(); });
  const std::size_t all = 2 * static_cast<std::size_t>(ranged) + 1;
  std::size_t done = 0;
  const auto headline = [&](const device::DeviceDescription& changed, const std::string& name) -> Result<Headline> {
    EvaluationOptions inner = options;
    if (!options.folder.empty()) inner.folder = options.folder / name;
    inner.on_progress = nullptr;
    auto evaluation = evaluate(workloads, changed, recipes, inner);
    if (!evaluation) return tl::unexpected(std::move(evaluation).error());
    if (options.on_progress) options.on_progress(++done, all, name);
    return headline_of(*evaluation);
  };
  auto nominal = headline(device, "as-described");
  if (!nominal) return tl::unexpected(std::move(nominal).error());
  Sensitivity result{.nominal = *nominal, .low = {}, .high = {}, .influences = {}};
  for (const device::Constant& constant : device.constants) {
    if (!constant.range) continue;
    Influence influence{.constant = constant.name, .low = {}, .high = {}};
    for (const bool high : {false, true}) {
      RangeEnd& end = high ? influence.high : influence.low;
      end.wanted = high ? constant.range->second : constant.range->first;
      auto changed = with_end(device, constant, end);
      if (!changed) return tl::unexpected(std::move(changed).error());
      auto value = headline(*changed, constant.name + (high ? "-high" : "-low"));
      if (!value) return tl::unexpected(std::move(value).error());
      end.headline = *value;
    }
    result.influences.push_back(std::move(influence));
  }
  widen(result);
  return result;
}

}  // namespace kareus::evaluate
