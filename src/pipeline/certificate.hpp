#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/event_graph.hpp"
#include "pipeline/hull.hpp"
#include "pipeline/parametric_flow.hpp"

namespace kareus::pipeline {

/// What is claimed to be optimal, and for which problem.
struct Claim {
  std::span<const std::vector<std::uint32_t>> predecessors;  ///< of the DAG's nodes
  const EventGraph& graph;
  std::span<const std::uint32_t> function_of;
  const HullSet& hulls;
  const FlowSnapshot& solution;
};

/// Checks weak duality with equality: times that respect every duration and precedence of the DAG itself, a conserved
/// flow on tight arcs only, and the energy of the times equal to the value of the flow. Knows only the problem, none of
/// the solver's bookkeeping.
Certificate check_claim(const Claim& claim);

}  // namespace kareus::pipeline
