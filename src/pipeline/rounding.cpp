#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <queue>

#include "kareus/pipeline.hpp"
#include "pipeline/slack.hpp"

namespace kareus::pipeline {
namespace {

/// The curve's durations are whole picoseconds at its breakpoints; a real option may be longer by half of one.
constexpr double kTick = 1e-12;
constexpr double kRelativeNoise = 1e-15;
/// Nodes looked at in the search for swaps before it gives up: some hundredths of a second.
constexpr std::size_t kSwapBudget = 2'000'000;

/// The options of a function that no other dominates, ascending in time and descending in energy.
struct Front {
  std::vector<std::uint32_t> option;
  std::vector<double> time;
  std::vector<double> energy;

  /// Position of the slowest option within `limit`, or of the fastest.
  std::uint32_t slowest_within(double limit) const {
    const auto end = std::upper_bound(time.begin(), time.end(), limit);
    return end == time.begin() ? 0 : static_cast<std::uint32_t>(end - time.begin() - 1);
  }
};

Front make_front(const std::vector<NodeOption>& options) {
  std::vector<std::uint32_t> order(options.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (options[a].time != options[b].time) return options[a].time < options[b].time;
    return options[a].effective_energy < options[b].effective_energy;
  });
  Front front;
  for (const std::uint32_t i : order) {
    if (!front.energy.empty() && options[i].effective_energy.si() >= front.energy.back()) continue;
    front.option.push_back(i);
    front.time.push_back(options[i].time.si());
    front.energy.push_back(options[i].effective_energy.si());
  }
  return front;
}

/// A change of one node to a slower, cheaper option.
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

/// A choice of one option per node, improved without ever taking longer than `limit`.
class Rounding {
 public:
  Rounding(const Dag& dag, std::span<const std::uint32_t> function_of, const std::vector<Front>& fronts,
           std::vector<std::uint32_t> positions, double limit)
      : function_of_(function_of),
        fronts_(fronts),
        positions_(std::move(positions)),
        slack_(dag, durations()),
        limit_(limit),
        queued_(dag.nodes.size(), 0) {}

  bool within_limit() const { return slack_.makespan() <= limit_; }
  const std::vector<std::uint32_t>& positions() const { return positions_; }

  double energy() const {
    double sum = 0;
    for (std::uint32_t node = 0; node < positions_.size(); ++node) sum += front(node).energy[positions_[node]];
    return sum;
  }

  void reclaim_all() {
    std::vector<std::uint32_t> all(positions_.size());
    for (std::uint32_t node = 0; node < all.size(); ++node) all[node] = node;
    reclaim(all, nullptr);
  }

  /// Speeds single nodes up where what others then save is worth more, cheapest second first, until nothing improves.
  void swap() {
    std::size_t looked_at = 0;
    for (bool improved = true; improved;) {
      improved = false;
      for (const std::uint32_t node : by_price_of_speed()) {
        if (positions_[node] == 0) continue;
        if (looked_at >= kSwapBudget) return;
        improved = try_swap(node, looked_at) || improved;
      }
    }
  }

 private:
  struct Undo {
    std::uint32_t node;
    std::uint32_t position;
  };

  const Front& front(std::uint32_t node) const { return fronts_[function_of_[node]]; }

  std::vector<double> durations() const {
    std::vector<double> result(positions_.size());
    for (std::uint32_t node = 0; node < result.size(); ++node) result[node] = front(node).time[positions_[node]];
    return result;
  }

  void set(std::uint32_t node, std::uint32_t position, std::vector<std::uint32_t>* changed = nullptr) {
    positions_[node] = position;
    slack_.set_duration(node, front(node).time[position], changed);
  }

  /// The move of `node` that saves most per second among those that fit.
  std::optional<Move> best_move(std::uint32_t node) const {
    const Front& options = front(node);
    const std::uint32_t now = positions_[node];
    const double window = slack_.window(node, limit_);
    std::optional<Move> best;
    for (std::uint32_t next = now + 1; next < options.time.size() && options.time[next] <= window; ++next) {
      const double rate = (options.energy[now] - options.energy[next]) / (options.time[next] - options.time[now]);
      if (!best || rate >= best->saved_per_second) best = Move{rate, node, next};
    }
    return best;
  }

  /// Slows nodes down, largest saving per second first. Windows only shrink meanwhile, so a stored move is never
  /// better than it looks and is checked when its turn comes. Returns the energy saved.
  double reclaim(const std::vector<std::uint32_t>& nodes, std::vector<Undo>* log) {
    std::priority_queue<Move> moves;
    for (const std::uint32_t node : nodes) {
      if (const auto move = best_move(node)) moves.push(*move);
    }
    double saved = 0;
    while (!moves.empty()) {
      const Move move = moves.top();
      moves.pop();
      const auto current = best_move(move.node);
      if (!current) continue;
      if (current->position == move.position) {
        const Front& options = front(move.node);
        if (log != nullptr) log->push_back({move.node, positions_[move.node]});
        saved += options.energy[positions_[move.node]] - options.energy[move.position];
        set(move.node, move.position);
        if (const auto next = best_move(move.node)) moves.push(*next);
      } else {
        moves.push(*current);
      }
    }
    return saved;
  }

  std::vector<std::uint32_t> by_price_of_speed() const {
    std::vector<std::pair<double, std::uint32_t>> prices;
    for (std::uint32_t node = 0; node < positions_.size(); ++node) {
      const std::uint32_t now = positions_[node];
      if (now == 0) continue;
      const Front& options = front(node);
      const double cost = options.energy[now - 1] - options.energy[now];
      prices.emplace_back(cost / (options.time[now] - options.time[now - 1]), node);
    }
    std::sort(prices.begin(), prices.end());
    std::vector<std::uint32_t> nodes;
    for (const auto& [price, node] : prices) nodes.push_back(node);
    return nodes;
  }

  bool try_swap(std::uint32_t node, std::size_t& looked_at) {
    const std::uint32_t before = positions_[node];
    const double cost = front(node).energy[before - 1] - front(node).energy[before];
    std::vector<std::uint32_t> changed;
    set(node, before - 1, &changed);
    // A node can be listed twice, once for each side of its window.
    std::vector<std::uint32_t> candidates;
    for (const std::uint32_t other : changed) {
      if (queued_[other] != 0 || other == node) continue;
      queued_[other] = 1;
      candidates.push_back(other);
    }
    for (const std::uint32_t other : candidates) queued_[other] = 0;
    looked_at += changed.size() + 1;

    std::vector<Undo> log;
    const double saved = reclaim(candidates, &log);
    looked_at += log.size() * changed.size();
    if (saved > cost * (1 + 1e-9)) return true;
    for (auto undo = log.rbegin(); undo != log.rend(); ++undo) set(undo->node, undo->position);
    set(node, before);
    return false;
  }

  std::span<const std::uint32_t> function_of_;
  const std::vector<Front>& fronts_;
  std::vector<std::uint32_t> positions_;
  Slack slack_;
  double limit_;
  std::vector<char> queued_;
};

}  // namespace

RealPlan round_to_options(const Dag& dag, std::span<const std::uint32_t> function_of,
                          std::span<const std::vector<NodeOption>> functions, const Curve& curve, Seconds time) {
  const std::size_t count = dag.nodes.size();
  KAREUS_CHECK(function_of.size() == count && std::isfinite(time.si()));
  std::vector<Front> fronts;
  for (const auto& options : functions) fronts.push_back(make_front(options));

  std::vector<Seconds> shortest(count);
  for (std::size_t node = 0; node < count; ++node) shortest[node] = Seconds(fronts[function_of[node]].time.front());
  const double wanted = std::max(time, earliest_times(dag, shortest).makespan).si();
  const double limit = wanted * (1 + 1e-12) + static_cast<double>(count) * kTick;

  // Two starts: the durations wanted, which mix two breakpoints, and those of the faster breakpoint, of which most are
  // real options already.
  std::vector<Seconds> starts{time};
  const auto& breakpoints = curve.breakpoints();
  const auto faster = std::partition_point(breakpoints.begin(), breakpoints.end(),
                                           [&](const Breakpoint& point) { return point.time > time; });
  if (faster != breakpoints.end() && faster->time < time) starts.push_back(faster->time);

  std::unique_ptr<Rounding> best;
  for (const Seconds start : starts) {
    const std::vector<Seconds> durations = curve.durations(start);
    std::vector<std::uint32_t> positions(count);
    for (std::size_t node = 0; node < count; ++node) {
      const double duration = durations[node].si();
      positions[node] = fronts[function_of[node]].slowest_within(duration * (1 + kRelativeNoise) + kTick);
    }
    auto rounding = std::make_unique<Rounding>(dag, function_of, fronts, std::move(positions), limit);
    if (!rounding->within_limit()) {  // only by the noise of iterations that take days
      rounding = std::make_unique<Rounding>(dag, function_of, fronts, std::vector<std::uint32_t>(count, 0), limit);
    }
    rounding->reclaim_all();
    if (!best || rounding->energy() < best->energy()) best = std::move(rounding);
  }
  best->swap();

  RealPlan plan{.choice = std::vector<std::uint32_t>(count), .time = Seconds(0), .effective_energy = Joules(0)};
  std::vector<Seconds> durations(count);
  for (std::size_t node = 0; node < count; ++node) {
    const Front& front = fronts[function_of[node]];
    plan.choice[node] = front.option[best->positions()[node]];
    durations[node] = functions[function_of[node]][plan.choice[node]].time;
    plan.effective_energy += functions[function_of[node]][plan.choice[node]].effective_energy;
  }
  plan.time = earliest_times(dag, durations).makespan;
  return plan;
}

}  // namespace kareus::pipeline
