#include <algorithm>

#include "kareus/table.hpp"
#include "search/acquisition.hpp"
#include "search/reference.hpp"

namespace kareus::search {
namespace {

/// Successful candidates with their objectives.
struct Measured {
  std::vector<std::size_t> candidates;
  std::vector<Objectives> objectives;

  void add(std::size_t candidate, const std::optional<Objectives>& result) {
    if (!result) return;
    candidates.push_back(candidate);
    objectives.push_back(*result);
  }
  Measured in_total_energy(double static_power) const {
    return {candidates, with_static_energy(objectives, static_power)};
  }
};

TableFront compare(const Measured& found, const Measured& all) {
  TableFront front;
  front.reference = reporting_reference(all.objectives);
  for (const std::size_t i : pareto_front(found.objectives)) front.candidates.push_back(found.candidates[i]);
  front.hypervolume = hypervolume(found.objectives, front.reference);
  front.exhaustive_hypervolume = hypervolume(all.objectives, front.reference);
  front.ratio = front.hypervolume / front.exhaustive_hypervolume;
  return front;
}

}  // namespace

Result<TableSearch> search_table(const Table& table, Optimizer& optimizer) {
  Measured all;
  for (std::size_t i = 0; i < table.objectives.size(); ++i) all.add(i, table.objectives[i]);
  if (all.candidates.empty()) return fail(ErrorCode::bad_input, "every configuration of the table failed", "table");

  TableSearch search;
  Measured found;
  std::vector<bool> seen(table.objectives.size(), false);
  while (!optimizer.finished()) {
    const auto batch = optimizer.ask();
    if (!batch) return tl::unexpected(batch.error());
    KAREUS_CHECK(!batch->empty());
    std::vector<Evaluation> evaluations;
    for (const Suggestion& suggestion : *batch) {
      if (suggestion.candidate >= seen.size()) {
        return fail(ErrorCode::bad_input, "the optimiser searches another space than the table's", "table");
      }
      KAREUS_CHECK(!seen[suggestion.candidate]);
      seen[suggestion.candidate] = true;
      const auto& objectives = table.objectives[suggestion.candidate];
      evaluations.push_back({suggestion.candidate, objectives});
      search.steps.push_back({suggestion, objectives});
      found.add(suggestion.candidate, objectives);
    }
    KAREUS_RETURN_IF_ERROR(optimizer.tell(evaluations));
  }
  search.finished = *optimizer.finished();
  search.dynamic = compare(found, all);
  search.total = compare(found.in_total_energy(table.static_power), all.in_total_energy(table.static_power));
  return search;
}

}  // namespace kareus::search
