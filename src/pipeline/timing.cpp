#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

Timing earliest_times(const Dag& dag, std::span<const Seconds> durations) {
  KAREUS_CHECK(durations.size() == dag.size() && dag.tail.size() == dag.size());
  Timing timing{.start = std::vector<Seconds>(dag.size()), .makespan = Seconds(0)};
  for (std::size_t node = 0; node < dag.size(); ++node) {
    Seconds start(0);
    for (const auto& [before, lag] : dag.predecessors[node]) {
      KAREUS_CHECK(before < node);
      start = std::max(start, timing.start[before] + durations[before] + lag);
    }
    timing.start[node] = start;
    timing.makespan = std::max(timing.makespan, start + durations[node] + dag.tail[node]);
  }
  return timing;
}

}  // namespace kareus::pipeline
