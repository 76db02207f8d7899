#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/event_graph.hpp"
#include "pipeline/parametric_flow.hpp"

namespace kareus::pipeline {

/// A 1F1B pipeline with its events and where its operations are.
struct PipelineEvents {
  Dag dag;
  EventGraph graph;
  int microbatches = 0;
  /// node of operation `direction` (0 forward, 1 backward) of a microbatch on a stage
  std::vector<std::uint32_t> nodes;
  std::uint32_t node(int stage, int direction, int microbatch) const {
    return nodes[static_cast<std::size_t>((2 * stage + direction) * microbatches + microbatch)];
  }
};
PipelineEvents index_events(Dag dag, int microbatches, const Grid& grid);

/// Microbatches first..last have the same flows, and the events of each are `period` ticks after those of the one
/// before.
struct Repetition {
  int first = 0;
  int last = 0;
  std::int64_t period = 0;
};

/// The longest repetition of a solution, if it spans more microbatches than there are stages: then every arc of a
/// longer pipeline has its like in the shorter one.
std::optional<Repetition> find_repetition(const PipelineEvents& pipeline, const FlowSnapshot& solution);

/// The solution of a shorter pipeline continued to a longer one by inserting microbatches into the repetition. It need
/// not be a solution: check it.
FlowSnapshot extend(const PipelineEvents& shorter, const FlowSnapshot& solution, const Repetition& repetition,
                    const PipelineEvents& longer);

}  // namespace kareus::pipeline
