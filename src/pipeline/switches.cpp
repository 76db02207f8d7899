#include "pipeline/switches.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/rounding_search.hpp"

namespace kareus::pipeline {
namespace {

/// Longer runs are a stage's main clock, not a detour.
constexpr std::size_t kLongestRun = 16;
constexpr int kMostPasses = 8;

std::optional<std::uint32_t> fastest_of_clock(const Front& front, Clock clock) {
  const auto found = std::find(front.clock.begin(), front.clock.end(), clock);
  if (found == front.clock.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - front.clock.begin());
}

/// Gives the run that clock, as slow as it saves and fits, then slows down whatever else may.
bool try_clock(RoundingState& state, std::span<const std::uint32_t> run, Clock clock, double limit) {
  const double before = state.energy();
  std::vector<Undo> log;
  bool possible = true;
  for (const std::uint32_t node : run) {
    const auto position = fastest_of_clock(state.front(node), clock);
    possible = possible && position.has_value();
    if (!possible) break;
    log.push_back({node, state.position(node)});
    state.set(node, *position);
  }
  if (possible && state.makespan() <= limit) {
    std::vector<std::uint32_t> all(state.positions().size());
    for (std::uint32_t node = 0; node < all.size(); ++node) all[node] = node;
    reclaim(state, all, limit, &log);
    if (state.energy() < before) return true;
  }
  undo(state, log);
  return false;
}

bool merge_runs_of(RoundingState& state, std::span<const std::uint32_t> nodes, double limit) {
  bool improved = false;
  for (std::size_t begin = 0; begin < nodes.size();) {
    std::size_t end = begin + 1;
    while (end < nodes.size() && state.clock(nodes[end]) == state.clock(nodes[begin])) ++end;
    const auto run = nodes.subspan(begin, end - begin);
    if (run.size() <= kLongestRun) {
      // The order is cyclic: before the first node of an iteration comes the last one.
      const Clock before = state.clock(nodes[begin == 0 ? nodes.size() - 1 : begin - 1]);
      const Clock after = state.clock(nodes[end == nodes.size() ? 0 : end]);
      const Clock own = state.clock(run.front());
      if (before != own && try_clock(state, run, before, limit)) {
        improved = true;
      } else if (after != own && after != before && try_clock(state, run, after, limit)) {
        improved = true;
      }
    }
    begin = end;
  }
  return improved;
}

}  // namespace

void merge_clock_runs(RoundingState& state, double limit) {
  if (state.problem().switch_latency == 0) return;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool improved = false;
    for (const auto& nodes : state.problem().dag.node_at) improved = merge_runs_of(state, nodes, limit) || improved;
    if (!improved) return;
  }
}

}  // namespace kareus::pipeline
