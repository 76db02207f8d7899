#include <algorithm>
#include <cmath>
#include <random>

#include "base/random.hpp"
#include "base/text.hpp"
#include "kareus/table.hpp"
#include "search/acquisition.hpp"
#include "search/ledger.hpp"
#include "search/reference.hpp"

namespace kareus::search {
namespace {

/// Candidates with objectives.
struct Points {
  std::vector<std::size_t> candidates;
  std::vector<Objectives> objectives;

  void add(std::size_t candidate, const std::optional<Objectives>& result) {
    if (!result) return;
    candidates.push_back(candidate);
    objectives.push_back(*result);
  }
  Points in_total_energy(double static_power) const {
    return {candidates, with_static_energy(objectives, static_power)};
  }
};

TableFront compare(const Points& found, const Points& all) {
  TableFront front;
  front.reference = reporting_reference(all.objectives);
  for (const std::size_t i : pareto_front(found.objectives)) front.candidates.push_back(found.candidates[i]);
  front.hypervolume = hypervolume(found.objectives, front.reference);
  front.exhaustive_hypervolume = hypervolume(all.objectives, front.reference);
  front.ratio = front.hypervolume / front.exhaustive_hypervolume;
  return front;
}

Points everything(const Table& table) {
  Points all;
  for (std::size_t i = 0; i < table.objectives.size(); ++i) all.add(i, table.objectives[i]);
  return all.in_total_energy(table.static_power);
}

/// The front of what a search believes, by the table's values.
TableFront reported_front(const Table& table, const std::vector<Estimate>& estimates, const Points& all) {
  std::vector<Objectives> believed;
  for (const Estimate& one : estimates) believed.push_back(one.objectives);
  Points front;
  for (const std::size_t i : pareto_front(with_static_energy(believed, table.static_power))) {
    front.add(estimates[i].candidate, table.objectives[estimates[i].candidate]);
  }
  TableFront result = compare(front.in_total_energy(table.static_power), all);
  result.candidates = front.candidates;
  return result;
}

/// Measures a candidate of the table: the noise depends on the candidate and the repeat, not on what else was measured.
class Measurer {
 public:
  Measurer(const Table& table, const TableNoise& noise) : table_(table), noise_(noise) {}

  std::optional<Objectives> measure(const Suggestion& suggestion) const {
    const auto& truth = table_.objectives[suggestion.candidate];
    if (!truth) return std::nullopt;
    std::mt19937_64 engine(derive_seed(
        noise_.seed, "noise/" + std::to_string(suggestion.candidate) + "/" + std::to_string(suggestion.repeat)));
    const auto uniform = [&] { return open_uniform(engine()); };
    const double first = uniform();
    const auto [radius, angle] = normal_pair(first, uniform());
    double time = truth->time * (1.0 + noise_.time * radius * std::cos(angle));
    double energy =
        (truth->energy + table_.static_power * truth->time) * (1.0 + noise_.energy * radius * std::sin(angle));
    if (uniform() < noise_.outliers) {
      const double factor = uniform() < 0.5 ? 0.5 : 3.0;
      (uniform() < 0.5 ? time : energy) *= factor;
    }
    if (uniform() < noise_.failures) return std::nullopt;
    return Objectives{.time = time, .energy = energy - table_.static_power * time};
  }

 private:
  const Table& table_;
  TableNoise noise_;
};

}  // namespace

Result<TableSearch> search_table(const Table& table, Optimizer& optimizer, const TableNoise& noise,
                                 std::span<const std::size_t> counts) {
  const Points all = everything(table);
  if (all.candidates.empty()) return fail(ErrorCode::bad_input, "every configuration of the table failed", "table");

  const Measurer measurer(table, noise);
  TableSearch search;
  Points found;
  const auto score_reported = [&]() -> Result<void> {
    const auto estimates = optimizer.estimates();
    if (!estimates) return tl::unexpected(estimates.error());
    search.reported_ratios.push_back(estimates->empty() ? 0.0 : reported_front(table, *estimates, all).ratio);
    return {};
  };
  while (!optimizer.finished()) {
    const auto batch = optimizer.ask();
    if (!batch) return tl::unexpected(batch.error());
    KAREUS_CHECK(!batch->empty() || optimizer.finished());
    for (const Suggestion& suggestion : *batch) {
      if (suggestion.candidate >= table.objectives.size()) {
        return fail(ErrorCode::bad_input, "the optimiser searches another space than the table's", "table");
      }
      const auto measured = measurer.measure(suggestion);
      search.steps.push_back({suggestion, measured});
      if (measured) found.add(suggestion.candidate, table.objectives[suggestion.candidate]);
      const Evaluation evaluation{
          .candidate = suggestion.candidate, .objectives = measured, .repeat = suggestion.repeat};
      KAREUS_RETURN_IF_ERROR(optimizer.tell(std::span(&evaluation, 1)));
      const std::size_t scored = search.reported_ratios.size();
      if (scored < counts.size() && search.steps.size() == counts[scored]) KAREUS_RETURN_IF_ERROR(score_reported());
    }
  }
  if (found.candidates.empty()) {
    return fail(ErrorCode::bad_input, "every evaluation failed", "search",
                "check that any configuration of the space can be measured at all");
  }
  while (search.reported_ratios.size() < counts.size()) KAREUS_RETURN_IF_ERROR(score_reported());
  auto estimates = optimizer.estimates();
  if (!estimates) return tl::unexpected(std::move(estimates).error());
  search.estimates = std::move(*estimates);
  search.finished = *optimizer.finished();
  search.reported = reported_front(table, search.estimates, all);
  Points dynamic;
  for (std::size_t i = 0; i < table.objectives.size(); ++i) dynamic.add(i, table.objectives[i]);
  search.dynamic = compare(found, dynamic);
  search.total = compare(found.in_total_energy(table.static_power), all);
  return search;
}

std::vector<double> anytime_ratios(const Table& table, std::span<const TableStep> steps) {
  const Points all = everything(table);
  HypervolumeFront front(reporting_reference(all.objectives));
  const double volume = hypervolume(all.objectives, reporting_reference(all.objectives));
  std::vector<double> ratios;
  for (const TableStep& step : steps) {
    if (const auto& truth = table.objectives[step.suggestion.candidate]; truth && step.objectives) {
      front.insert({.time = truth->time, .energy = truth->energy + table.static_power * truth->time});
    }
    ratios.push_back(front.volume() / volume);
  }
  return ratios;
}

}  // namespace kareus::search
