#include "search/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kareus::search {
namespace {

bool equal(const Told& a, const Told& b) {
  if (a.censored != b.censored || a.objectives.has_value() != b.objectives.has_value()) return false;
  return !a.objectives || (a.objectives->time == b.objectives->time && a.objectives->energy == b.objectives->energy);
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  return values[(count - 1) / 2] / 2 + values[count / 2] / 2;
}

}  // namespace

bool usable(Objectives objectives) {
  constexpr double kLargest = 1e100;
  constexpr double kSmallestTime = 1e-100;
  // Comparisons with a NaN are false.
  return objectives.time >= kSmallestTime && objectives.time <= kLargest && std::abs(objectives.energy) <= kLargest;
}

std::optional<Objectives> combined(std::span<const Told> repeats) {
  std::vector<double> times;
  std::vector<double> energies;
  for (const Told& one : repeats) {
    if (!one.objectives || one.censored) continue;
    times.push_back(one.objectives->time);
    energies.push_back(one.objectives->energy);
  }
  if (times.empty()) return std::nullopt;
  return Objectives{.time = middle(std::move(times)), .energy = middle(std::move(energies))};
}

Result<void> Ledger::add(std::span<const Evaluation> evaluations) {
  std::vector<std::vector<Told>> updated = entries_;
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
    std::vector<Told>& entry = updated[evaluation.candidate];
    Told told{.repeat = evaluation.repeat,
              .objectives = evaluation.objectives,
              .censored = evaluation.censored,
              .variance = evaluation.variance};
    if (told.objectives && !usable(*told.objectives)) told.objectives.reset();
    const auto place = std::lower_bound(entry.begin(), entry.end(), told.repeat,
                                        [](const Told& one, std::size_t repeat) { return one.repeat < repeat; });
    if (place == entry.end() || place->repeat != told.repeat) {
      if (entry.empty()) ++size;
      entry.insert(place, told);
    } else if (!equal(*place, told)) {
      error.problems.push_back({"evaluations",
                                fmt::format("candidate {} is told twice, with different results", evaluation.candidate),
                                "number its repeats, or tell one result, for example their mean"});
    }
  }
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  entries_ = std::move(updated);
  size_ = size;
  return {};
}

const Told* Ledger::find(std::size_t candidate, std::size_t repeat) const {
  for (const Told& one : entries_[candidate]) {
    if (one.repeat == repeat) return &one;
  }
  return nullptr;
}

std::vector<Estimate> Ledger::estimates() const {
  std::vector<Estimate> result;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (const auto known = objectives(i)) result.push_back({i, *known});
  }
  return result;
}

}  // namespace kareus::search
