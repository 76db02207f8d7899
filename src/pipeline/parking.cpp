#include "kareus/rounding.hpp"

namespace kareus::pipeline {
namespace {

int changes(Clock from, Clock to) {
  return from == to ? 0 : 1;
}

/// Calls `each` with the length of every wait of a stage, the node whose clock it is spent at, the node that follows
/// (the first for the wait at the end), and the fixed work that is part of it.
template <class Each>
void for_each_wait(const Dag& dag, const NodeCosts& costs, const Timing& timing, std::span<const std::uint32_t> choice,
                   Each each) {
  KAREUS_CHECK(choice.size() == dag.size() && timing.start.size() == dag.size());
  const auto end = [&](std::uint32_t node) {
    return timing.start[node] + costs.functions[costs.function_of[node]][choice[node]].time;
  };
  for (const auto& nodes : dag.node_at) {
    if (nodes.empty()) continue;
    const std::uint32_t first = nodes.front();
    const std::uint32_t last = nodes.back();
    // The clock was set for the first node at the end of the iteration before.
    each(timing.start[first], first, first, Seconds(0));
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      each(timing.start[nodes[i]] - end(nodes[i - 1]), nodes[i - 1], nodes[i], Seconds(0));
    }
    each(timing.makespan - end(last), last, first, dag.tail.empty() ? Seconds(0) : dag.tail[last]);
  }
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
  const auto clock = [&](std::uint32_t node) { return clocks.clocks[costs.function_of[node]][choice[node]]; };
  Parking sum;
  for_each_wait(dag, costs, timing, choice, [&](Seconds wait, std::uint32_t at, std::uint32_t next, Seconds work) {
    const Parking one = park_wait(wait - work, clock(at), clock(next), clocks);
    sum.saves += one.saves;
    sum.clock_switches += one.clock_switches;
  });
  return sum;
}

Joules waiting_energy(const Dag& dag, const NodeCosts& costs, const Timing& timing,
                      std::span<const std::uint32_t> choice, const std::vector<std::vector<Watts>>& power) {
  KAREUS_CHECK(power.size() == costs.functions.size());
  Joules sum;
  for_each_wait(dag, costs, timing, choice, [&](Seconds wait, std::uint32_t at, std::uint32_t, Seconds) {
    // A negative wait can only come from rounding.
    if (wait > Seconds(0)) sum += power[costs.function_of[at]][choice[at]] * wait;
  });
  return sum;
}

}  // namespace kareus::pipeline
