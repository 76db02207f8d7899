#include "search/clock_gaps.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

namespace kareus::search {
namespace {

/// Less than the 2% between two clocks, more than noise and than what models miss where they have neighbours.
constexpr double kGain = 0.01;
constexpr double kBeaten = 0.02;

struct Gap {
  double gain = 0.0;
  Suggestion suggestion;
};

}  // namespace

ClockGaps::ClockGaps(const Space& space) {
  if (!space.clock) return;
  std::map<double, std::vector<std::size_t>> by_clock;
  for (std::size_t i = 0; i < space.rows.size(); ++i) by_clock[space.rows[i][*space.clock]].push_back(i);
  for (auto& [clock, candidates] : by_clock) at_.push_back(std::move(candidates));
}

std::vector<Suggestion> ClockGaps::find(const Models& models, const std::vector<Estimate>& known,
                                        const std::vector<bool>& closed, double static_power, std::size_t most) const {
  std::map<std::size_t, Objectives> measured;
  for (const Estimate& one : known) measured.emplace(one.candidate, one.objectives);
  const auto dynamic = [&](const Objectives& total) { return total.energy - static_power * total.time; };
  const auto is_beaten = [&](const Objectives& predicted) {
    return std::any_of(known.begin(), known.end(), [&](const Estimate& one) {
      return one.objectives.time <= predicted.time * (1 - kBeaten) &&
             dynamic(one.objectives) <= dynamic(predicted) * (1 - kBeaten);
    });
  };
  const auto predicted = [&](std::size_t candidate) {
    return Objectives{.time = models.time.mean(candidate), .energy = models.energy.mean(candidate)};
  };

  std::vector<Gap> gaps;
  for (const std::vector<std::size_t>& candidates : at_) {
    const auto find_gap = [&](double Objectives::*objective, Pass pass) {
      double best_measured = std::numeric_limits<double>::infinity();
      std::optional<std::pair<double, std::size_t>> best;
      for (const std::size_t candidate : candidates) {
        if (const auto found = measured.find(candidate); found != measured.end()) {
          best_measured = std::min(best_measured, found->second.*objective);
        } else if (!closed[candidate]) {
          const double value = predicted(candidate).*objective;
          if (!best || value < best->first) best = {value, candidate};
        }
      }
      if (!best || best->first > best_measured * (1 - kGain) || is_beaten(predicted(best->second))) return;
      gaps.push_back({.gain = 1 - best->first / best_measured,
                      .suggestion = {.candidate = best->second, .pass = pass, .repeat = 0}});
    };
    find_gap(&Objectives::time, Pass::static_energy);
    find_gap(&Objectives::energy, Pass::total_energy);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.gain > b.gain; });
  std::vector<Suggestion> result;
  for (const Gap& gap : gaps) {
    const bool known_already = std::any_of(result.begin(), result.end(), [&](const Suggestion& other) {
      return other.candidate == gap.suggestion.candidate;
    });
    if (!known_already && result.size() < most) result.push_back(gap.suggestion);
  }
  return result;
}

}  // namespace kareus::search
