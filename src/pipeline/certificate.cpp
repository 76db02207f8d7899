#include "pipeline/certificate.hpp"

#include <algorithm>

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

/// Energy above the cheapest point's, of a duration between the hull's ends.
Wide energy_at(const Hull& hull, std::int64_t duration) {
  Wide energy = 0;
  for (std::size_t k = 1; k < hull.ticks.size(); ++k) {
    const std::int64_t saved = hull.ticks[k - 1] - std::max(hull.ticks[k], duration);
    if (saved > 0) energy += Wide{hull.slopes[k]} * saved;
  }
  return energy;
}

/// min over durations of energy + flow * duration: what the node can be worth when a tick of it costs `flow`.
Wide least_cost(const Hull& hull, std::int64_t flow) {
  Wide energy = 0;
  Wide least = Wide{flow} * hull.ticks[0];
  for (std::size_t k = 1; k < hull.ticks.size(); ++k) {
    energy += Wide{hull.slopes[k]} * (hull.ticks[k - 1] - hull.ticks[k]);
    least = std::min(least, energy + Wide{flow} * hull.ticks[k]);
  }
  return least;
}

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

bool uses_tight_arcs_only(const Claim& claim) {
  for (std::size_t arc = 0; arc < claim.graph.arcs.size(); ++arc) {
    const std::int64_t flow = claim.solution.flows[arc];
    const auto [tail, head] = claim.graph.arcs[arc];
    const std::int64_t apart = claim.solution.times[head] - claim.solution.times[tail];
    if (arc >= claim.graph.node_count) {
      const std::int64_t length = claim.graph.lengths[arc - claim.graph.node_count];
      if (apart < length || (flow > 0 && apart != length)) return false;
      continue;
    }
    const std::int64_t duration = duration_of(claim, arc);
    if (flow > 0 && apart != duration) return false;
    const Hull& hull = hull_of(claim, arc);
    if (energy_at(hull, duration) + Wide{flow} * duration != least_cost(hull, flow)) return false;
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
  Joules cheapest(0);
  Wide primal = 0;
  Wide dual = -Wide{value} * iteration_time(claim);
  for (std::size_t node = 0; node < claim.graph.node_count; ++node) {
    const Hull& hull = hull_of(claim, node);
    cheapest += hull.slowest_energy;
    primal += energy_at(hull, duration_of(claim, node));
    dual += least_cost(hull, claim.solution.flows[node]);
  }
  for (std::size_t i = 0; i < claim.graph.lengths.size(); ++i) {
    dual += Wide{claim.solution.flows[claim.graph.node_count + i]} * claim.graph.lengths[i];
  }
  return {.feasible = times_are_feasible(claim),
          .complementary = value >= 0 && uses_tight_arcs_only(claim),
          .primal = (cheapest + claim.hulls.grid.joules(primal)).si(),
          .dual = (cheapest + claim.hulls.grid.joules(dual)).si()};
}

}  // namespace kareus::pipeline
