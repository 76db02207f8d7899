#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kareus/curve.hpp"
#include "pipeline/event_graph.hpp"
#include "pipeline/hull.hpp"
#include "pipeline/parametric_flow.hpp"

namespace kareus::pipeline {

/// The constraints of a DAG in ticks, taken from it directly.
struct Precedences {
  struct Precedence {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    std::int64_t lag = 0;  ///< from the end of `before` to the begin of `after`, at least
  };
  std::vector<Precedence> all;
  std::vector<std::int64_t> tails;  ///< per node, or empty
};
Precedences precedences_of(const Dag& dag, const Grid& grid);

/// What is claimed to be optimal, and for which problem.
struct Claim {
  const Precedences& precedences;
  const EventGraph& graph;
  std::span<const std::uint32_t> function_of;
  const HullSet& hulls;
  const FlowSnapshot& solution;
};

/// Checks weak duality with equality: times that respect every duration and precedence, lag and tail of the DAG itself,
/// a conserved flow on tight arcs only, and the energy of the times equal to the value of the flow. Knows only the
/// problem, none of the solver's bookkeeping.
Certificate check_claim(const Claim& claim);

}  // namespace kareus::pipeline
