#include "pipeline/rounding_search.hpp"

#include <algorithm>
#include <optional>
#include <queue>

namespace kareus::pipeline {
namespace {

/// Savings below this part are noise of the arithmetic.
constexpr double kNoise = 1e-12;
/// Stands for the rate of a move that saves energy and takes no longer.
constexpr double kLeastAddedTime = 1e-12;

/// A change of one node to a cheaper option.
struct Move {
  double saved_per_second = 0;
  std::uint32_t node = 0;
  std::uint32_t position = 0;

  /// Largest saving first, then the lower node.
  bool operator<(const Move& other) const {
    if (saved_per_second != other.saved_per_second) return saved_per_second < other.saved_per_second;
    return node > other.node;
  }
};

/// The move of `node` that saves most per second among those that fit; the slowest of several.
std::optional<Move> best_move(RoundingState& state, std::uint32_t node, double limit) {
  const Front& options = state.front(node);
  const std::uint32_t now = state.position(node);
  const RoundingState::Window window = state.window(node, limit);
  std::optional<Move> best;
  for (std::uint32_t next = options.descending ? now + 1 : 0; next < options.size(); ++next) {
    if (options.time[next] > window.longest()) break;
    const double saved = options.energy[now] - options.energy[next];
    if (next == now || saved <= kNoise * std::abs(options.energy[now])) continue;
    const double rate = saved / std::max(options.time[next] - options.time[now], kLeastAddedTime);
    if (best && rate < best->saved_per_second) continue;
    if (state.fits(node, next, window, limit)) best = Move{rate, node, next};
  }
  return best;
}

std::vector<std::uint32_t> by_price_of_speed(const RoundingState& state) {
  std::vector<std::pair<double, std::uint32_t>> prices;
  for (std::uint32_t node = 0; node < state.positions().size(); ++node) {
    const std::uint32_t now = state.position(node);
    if (now == 0) continue;
    const Front& options = state.front(node);
    const double cost = options.energy[now - 1] - options.energy[now];
    prices.emplace_back(cost / (options.time[now] - options.time[now - 1]), node);
  }
  std::sort(prices.begin(), prices.end());
  std::vector<std::uint32_t> nodes;
  for (const auto& [price, node] : prices) nodes.push_back(node);
  return nodes;
}

bool try_swap(RoundingState& state, std::uint32_t node, double limit, std::size_t& looked_at) {
  const std::uint32_t before = state.position(node);
  const double cost = state.front(node).energy[before - 1] - state.front(node).energy[before];
  std::vector<std::uint32_t> changed;
  state.set(node, before - 1, &changed);
  looked_at += changed.size() + 1;
  if (state.problem().switch_latency > 0 && state.makespan() > limit) {
    state.set(node, before);
    return false;
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  std::erase(changed, node);
  std::vector<Undo> log;
  const double saved = reclaim(state, changed, limit, &log);
  looked_at += log.size() * changed.size();
  if (saved > cost + 1e-9 * std::abs(cost)) return true;
  undo(state, log);
  state.set(node, before);
  return false;
}

}  // namespace

// Without switches windows only shrink meanwhile, so a stored move is never better than it looks and is checked when
// its turn comes. With switches some grow; reclaim_all() comes back for those.
double reclaim(RoundingState& state, const std::vector<std::uint32_t>& nodes, double limit, std::vector<Undo>* log) {
  std::priority_queue<Move> moves;
  for (const std::uint32_t node : nodes) {
    if (const auto move = best_move(state, node, limit)) moves.push(*move);
  }
  double saved = 0;
  while (!moves.empty()) {
    const Move move = moves.top();
    moves.pop();
    const auto current = best_move(state, move.node, limit);
    if (!current) continue;
    if (current->position == move.position) {
      if (log != nullptr) log->push_back({move.node, state.position(move.node)});
      saved += state.energy(move.node) - state.front(move.node).energy[move.position];
      state.set(move.node, move.position);
      if (const auto next = best_move(state, move.node, limit)) moves.push(*next);
    } else {
      moves.push(*current);
    }
  }
  return saved;
}

void reclaim_all(RoundingState& state, double limit) {
  std::vector<std::uint32_t> all(state.positions().size());
  for (std::uint32_t node = 0; node < all.size(); ++node) all[node] = node;
  while (reclaim(state, all, limit, nullptr) > 0 && state.problem().switch_latency > 0) {
  }
}

void undo(RoundingState& state, const std::vector<Undo>& log) {
  for (auto step = log.rbegin(); step != log.rend(); ++step) state.set(step->node, step->position);
}

void swap_options(RoundingState& state, double limit, std::size_t& budget) {
  for (bool improved = true; improved;) {
    improved = false;
    for (const std::uint32_t node : by_price_of_speed(state)) {
      if (state.position(node) == 0) continue;
      std::size_t looked_at = 0;
      improved = try_swap(state, node, limit, looked_at) || improved;
      if (looked_at >= budget) {
        budget = 0;
        return;
      }
      budget -= looked_at;
    }
  }
}

}  // namespace kareus::pipeline
