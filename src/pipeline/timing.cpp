#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

Timing earliest_times(const Dag& dag, std::span<const Seconds> durations) {
  KAREUS_CHECK(durations.size() == dag.nodes.size());
  Timing timing{.start = std::vector<Seconds>(dag.nodes.size()), .makespan = Seconds(0)};
  for (std::size_t node = 0; node < dag.nodes.size(); ++node) {
    Seconds start(0);
    for (const std::uint32_t predecessor : dag.predecessors[node]) {
      KAREUS_CHECK(predecessor < node);
      start = std::max(start, timing.start[predecessor] + durations[predecessor]);
    }
    timing.start[node] = start;
    timing.makespan = std::max(timing.makespan, start + durations[node]);
  }
  return timing;
}

}  // namespace kareus::pipeline
