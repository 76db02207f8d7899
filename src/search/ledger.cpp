#include "search/ledger.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kareus::search {
namespace {

bool equal(const std::optional<Objectives>& a, const std::optional<Objectives>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->time == b->time && a->energy == b->energy;
}

}  // namespace

bool usable(Objectives objectives) {
  constexpr double kLargest = 1e100;
  constexpr double kSmallestTime = 1e-100;
  // Comparisons with a NaN are false.
  return objectives.time >= kSmallestTime && objectives.time <= kLargest && std::abs(objectives.energy) <= kLargest;
}

Result<void> Ledger::add(std::span<const Evaluation> evaluations) {
  std::vector<Entry> updated = entries_;
  std::size_t size = size_;
  Error error{ErrorCode::bad_input, {}};
  for (const Evaluation& evaluation : evaluations) {
    if (evaluation.candidate >= updated.size()) {
      error.problems.push_back(
          {"evaluations",
           fmt::format("candidate {} is not one of the {} of the space", evaluation.candidate, updated.size()),
           "evaluations belong to the space they were made for"});
      continue;
    }
    Entry& entry = updated[evaluation.candidate];
    std::optional<Objectives> objectives = evaluation.objectives;
    if (objectives && !usable(*objectives)) objectives.reset();
    if (!entry.told) {
      entry = {.told = true, .objectives = objectives};
      ++size;
    } else if (!equal(entry.objectives, objectives)) {
      error.problems.push_back({"evaluations",
                                fmt::format("candidate {} is told twice, with different results", evaluation.candidate),
                                "tell one result per candidate, for example the mean of its repeats"});
    }
  }
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  entries_ = std::move(updated);
  size_ = size;
  return {};
}

}  // namespace kareus::search
