#include "kareus/rounding.hpp"

namespace kareus::pipeline {
namespace {

int changes(Clock from, Clock to) {
  return from == to ? 0 : 1;
}

}  // namespace

Parking park_wait(Seconds wait, Clock before, Clock after, const ClockModel& clocks) {
  const Seconds parked = wait - 2 * clocks.switch_latency;
  if (clocks.static_power && before != clocks.parked && parked > Seconds(0)) {
    const Joules saved = (clocks.static_power(before) - clocks.static_power(clocks.parked)) * parked;
    if (saved > Joules(0)) {
      return {.saves = saved, .clock_switches = changes(before, clocks.parked) + changes(clocks.parked, after)};
    }
  }
  return {.saves = {}, .clock_switches = changes(before, after)};
}

Parking park_waits(const Dag& dag, const NodeCosts& costs, const Timing& timing, std::span<const std::uint32_t> choice,
                   const ClockModel& clocks) {
  if (clocks.clocks.empty()) return {};
  KAREUS_CHECK(choice.size() == dag.size() && timing.start.size() == dag.size());
  const auto clock = [&](std::uint32_t node) { return clocks.clocks[costs.function_of[node]][choice[node]]; };
  const auto end = [&](std::uint32_t node) {
    return timing.start[node] + costs.functions[costs.function_of[node]][choice[node]].time;
  };
  Parking sum;
  const auto wait = [&](Seconds duration, Clock before, Clock after) {
    const Parking one = park_wait(duration, before, after, clocks);
    sum.saves += one.saves;
    sum.clock_switches += one.clock_switches;
  };
  for (const auto& nodes : dag.node_at) {
    if (nodes.empty()) continue;
    const std::uint32_t first = nodes.front();
    const std::uint32_t last = nodes.back();
    // The clock was set for the first node at the end of the iteration before.
    wait(timing.start[first], clock(first), clock(first));
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      wait(timing.start[nodes[i]] - end(nodes[i - 1]), clock(nodes[i - 1]), clock(nodes[i]));
    }
    const Seconds work_at_end = dag.tail.empty() ? Seconds(0) : dag.tail[last];
    wait(timing.makespan - end(last) - work_at_end, clock(last), clock(first));
  }
  return sum;
}

}  // namespace kareus::pipeline
