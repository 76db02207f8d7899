#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search::testing {

/// clocks x SM counts x launch slots, as a partition has them.
inline Space grid(int clocks, int sms, int slots) {
  Space space{.features = {"clock", "sm"}, .rows = {}};
  for (int slot = 0; slot < slots; ++slot) space.features.push_back("slot=" + std::to_string(slot));
  for (int clock = 0; clock < clocks; ++clock) {
    for (int sm = 0; sm < sms; ++sm) {
      for (int slot = 0; slot < slots; ++slot) {
        std::vector<double> row = {900.0 + 510.0 * clock / std::max(1, clocks - 1), 3.0 * (sm + 1)};
        for (int s = 0; s < slots; ++s) row.push_back(s == slot ? 1.0 : 0.0);
        space.rows.push_back(std::move(row));
      }
    }
  }
  return space;
}

/// Milliseconds and dynamic joules with a best SM count and slot and a trade-off by clock, plus a fixed ripple.
inline Objectives evaluate(const Space& space, std::size_t candidate) {
  const std::vector<double>& row = space.rows[candidate];
  const double ghz = row[0] / 1000.0;
  double slot = 0.0;
  for (std::size_t i = 2; i < row.size(); ++i) slot += row[i] * static_cast<double>(i - 2);
  const double ripple = 0.01 * std::sin(static_cast<double>(candidate) * 12.9898);
  const double time = 1e-3 * (3.0 / ghz + 0.02 * std::abs(row[1] - 12.0) + 0.1 * std::abs(slot - 1.0) + ripple);
  return {.time = time, .energy = time * (60.0 + 90.0 * ghz * ghz * ghz + row[1])};
}

inline std::vector<Evaluation> evaluate_all(const Space& space, const std::vector<Suggestion>& batch) {
  std::vector<Evaluation> evaluations;
  for (const Suggestion& s : batch) evaluations.push_back({s.candidate, evaluate(space, s.candidate)});
  return evaluations;
}

/// Asks and tells until the search is finished; `result` maps a candidate to its (possibly failed) objectives.
template <class Function>
std::vector<Suggestion> run(Optimizer& optimizer, Function result) {
  std::vector<Suggestion> order;
  while (!optimizer.finished()) {
    const auto batch = optimizer.ask();
    if (!batch || batch->empty()) return order;
    std::vector<Evaluation> evaluations;
    for (const Suggestion& s : *batch) {
      order.push_back(s);
      evaluations.push_back({s.candidate, result(s.candidate)});
    }
    if (!optimizer.tell(evaluations)) return order;
  }
  return order;
}

inline std::vector<std::size_t> candidates(const std::vector<Suggestion>& order) {
  std::vector<std::size_t> result;
  for (const Suggestion& s : order) result.push_back(s.candidate);
  return result;
}

inline MultiPassOptions small_options(std::uint64_t seed = 7) {
  return {.initial = 16,
          .batches = 3,
          .batch_size = 10,
          .ensemble = 3,
          .convergence_threshold = 0.0,
          .static_power = 85.0,
          .seed = seed};
}

}  // namespace kareus::search::testing
