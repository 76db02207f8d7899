#include "pipeline/certificate.hpp"

#include <algorithm>
#include <iterator>

namespace kareus::pipeline {
namespace {

std::int64_t begin_of(const Claim& claim, std::size_t node) {
  return claim.solution.times[claim.graph.arcs[node].tail] - claim.solution.times[claim.graph.source];
}

std::int64_t end_of(const Claim& claim, std::size_t node) {
  return claim.solution.times[claim.graph.arcs[node].head] - claim.solution.times[claim.graph.source];
}

std::int64_t iteration_time(const Claim& claim) {
  return claim.solution.times[claim.graph.sink] - claim.solution.times[claim.graph.source];
}

const Hull& hull_of(const Claim& claim, std::size_t node) {
  return claim.hulls.functions[claim.function_of[node]];
}

std::int64_t duration_of(const Claim& claim, std::size_t node) {
  return std::min(end_of(claim, node) - begin_of(claim, node), hull_of(claim, node).slowest());
}

/// A function's energies above its cheapest point's, found by bisection; that takes for granted that it is convex,
/// which is checked here too.
class Costs {
 public:
  explicit Costs(const Hull& hull) : hull_(&hull), energy_(hull.ticks.size(), 0) {
    for (std::size_t k = 1; k < energy_.size(); ++k) {
      const std::int64_t saved = hull.ticks[k - 1] - hull.ticks[k];
      is_convex_ = is_convex_ && saved > 0 && hull.slopes[k] > hull.slopes[k - 1];
      energy_[k] = energy_[k - 1] + Wide{hull.slopes[k]} * saved;
    }
  }
  bool is_convex() const { return is_convex_ && hull_->slopes[0] == 0; }

  /// Of a duration between the hull's ends.
  Wide energy_at(std::int64_t duration) const {
    const auto corner = std::partition_point(hull_->ticks.begin(), std::prev(hull_->ticks.end()),
                                             [&](std::int64_t ticks) { return ticks > duration; });
    const auto k = static_cast<std::size_t>(corner - hull_->ticks.begin());
    return energy_[k] - Wide{hull_->slopes[k]} * (duration - hull_->ticks[k]);
  }
  /// min over durations of energy + flow * duration: what a node can be worth when a tick of it costs `flow`.
  Wide least_cost(std::int64_t flow) const {
    const auto corner = std::upper_bound(std::next(hull_->slopes.begin()), hull_->slopes.end(), flow);
    const auto k = static_cast<std::size_t>(corner - hull_->slopes.begin()) - 1;
    return energy_[k] + Wide{flow} * hull_->ticks[k];
  }

 private:
  const Hull* hull_;
  std::vector<Wide> energy_;
  bool is_convex_ = true;
};

bool times_are_feasible(const Claim& claim) {
  const std::int64_t end = iteration_time(claim);
  const auto& tails = claim.precedences.tails;
  for (std::size_t node = 0; node < claim.graph.node_count; ++node) {
    const std::int64_t tail = tails.empty() ? 0 : tails[node];
    if (begin_of(claim, node) < 0 || end_of(claim, node) + tail > end) return false;
    if (duration_of(claim, node) < hull_of(claim, node).fastest()) return false;
  }
  return std::all_of(claim.precedences.all.begin(), claim.precedences.all.end(), [&](const auto& precedence) {
    return end_of(claim, precedence.before) + precedence.lag <= begin_of(claim, precedence.after);
  });
}

/// Net flow out of the source, or -1 when flow appears or is lost somewhere.
std::int64_t conserved_value(const Claim& claim) {
  std::vector<std::int64_t> surplus(claim.graph.vertices, 0);
  for (std::size_t arc = 0; arc < claim.graph.arcs.size(); ++arc) {
    const std::int64_t flow = claim.solution.flows[arc];
    if (flow < 0) return -1;
    surplus[claim.graph.arcs[arc].tail] += flow;
    surplus[claim.graph.arcs[arc].head] -= flow;
  }
  for (std::uint32_t vertex = 0; vertex < claim.graph.vertices; ++vertex) {
    if (vertex != claim.graph.source && vertex != claim.graph.sink && surplus[vertex] != 0) return -1;
  }
  return surplus[claim.graph.source] == -surplus[claim.graph.sink] ? surplus[claim.graph.source] : -1;
}

/// Of the arcs between nodes.
bool uses_tight_edges_only(const Claim& claim) {
  for (std::size_t i = 0; i < claim.graph.lengths.size(); ++i) {
    const auto [tail, head] = claim.graph.arcs[claim.graph.node_count + i];
    const std::int64_t slack = claim.solution.times[head] - claim.solution.times[tail] - claim.graph.lengths[i];
    if (slack < 0 || (slack > 0 && claim.solution.flows[claim.graph.node_count + i] > 0)) return false;
  }
  return true;
}

}  // namespace

Precedences precedences_of(const Dag& dag, const Grid& grid) {
  Precedences result;
  for (std::uint32_t node = 0; node < dag.size(); ++node) {
    for (const auto& [before, lag] : dag.predecessors[node]) result.all.push_back({before, node, grid.ticks(lag)});
  }
  for (const Seconds tail : dag.tail) result.tails.push_back(grid.ticks(tail));
  return result;
}

Certificate check_claim(const Claim& claim) {
  const std::int64_t value = conserved_value(claim);
  const bool feasible = times_are_feasible(claim);
  bool complementary = value >= 0 && uses_tight_edges_only(claim);
  std::vector<Costs> costs;
  costs.reserve(claim.hulls.functions.size());
  for (const Hull& hull : claim.hulls.functions) {
    costs.emplace_back(hull);
    complementary = complementary && costs.back().is_convex();
  }
  Joules cheapest(0);
  Wide primal = 0;
  Wide dual = -Wide{value} * iteration_time(claim);
  for (std::size_t node = 0; node < claim.graph.node_count; ++node) {
    const Costs& cost = costs[claim.function_of[node]];
    const std::int64_t flow = claim.solution.flows[node];
    const std::int64_t duration = duration_of(claim, node);
    const Wide energy = cost.energy_at(duration);
    const Wide least = cost.least_cost(flow);
    const bool is_tight = flow == 0 || end_of(claim, node) - begin_of(claim, node) == duration;
    complementary = complementary && is_tight && energy + Wide{flow} * duration == least;
    cheapest += hull_of(claim, node).slowest_energy;
    primal += energy;
    dual += least;
  }
  for (std::size_t i = 0; i < claim.graph.lengths.size(); ++i) {
    dual += Wide{claim.solution.flows[claim.graph.node_count + i]} * claim.graph.lengths[i];
  }
  return {.feasible = feasible,
          .complementary = complementary,
          .primal = (cheapest + claim.hulls.grid.joules(primal)).si(),
          .dual = (cheapest + claim.hulls.grid.joules(dual)).si()};
}

}  // namespace kareus::pipeline
