#include <algorithm>

#include "kareus/rounding.hpp"

namespace kareus::pipeline {
namespace {

/// Adds up the waits of one stage after another.
class Parker {
 public:
  explicit Parker(const ClockModel& clocks) : clocks_(&clocks) {}

  /// The stage waits `wait` at `before`, then goes on at `after`.
  void wait(Seconds wait, Clock before, Clock after) {
    const Joules saved = saving(wait, before);
    if (saved > Joules(0)) {
      result_.saves += saved;
      result_.clock_switches += changes(before, clocks_->parked) + changes(clocks_->parked, after);
    } else {
      result_.clock_switches += changes(before, after);
    }
  }
  Parking result() const { return result_; }

 private:
  static int changes(Clock from, Clock to) { return from == to ? 0 : 1; }

  Joules saving(Seconds wait, Clock before) const {
    if (!clocks_->static_power || before == clocks_->parked) return Joules(0);
    const Seconds parked = wait - 2 * clocks_->switch_latency;
    if (parked <= Seconds(0)) return Joules(0);
    return (clocks_->static_power(before) - clocks_->static_power(clocks_->parked)) * parked;
  }

  const ClockModel* clocks_;
  Parking result_;
};

}  // namespace

Parking park_waits(const Dag& dag, const NodeCosts& costs, const Timing& timing, std::span<const std::uint32_t> choice,
                   const ClockModel& clocks) {
  if (clocks.clocks.empty()) return {};
  KAREUS_CHECK(choice.size() == dag.size() && timing.start.size() == dag.size());
  const auto clock = [&](std::uint32_t node) { return clocks.clocks[costs.function_of[node]][choice[node]]; };
  const auto end = [&](std::uint32_t node) {
    return timing.start[node] + costs.functions[costs.function_of[node]][choice[node]].time;
  };
  Parker parker(clocks);
  for (const auto& nodes : dag.node_at) {
    if (nodes.empty()) continue;
    const std::uint32_t first = nodes.front();
    const std::uint32_t last = nodes.back();
    // The clock was set for the first node at the end of the iteration before.
    parker.wait(timing.start[first], clock(first), clock(first));
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      parker.wait(timing.start[nodes[i]] - end(nodes[i - 1]), clock(nodes[i - 1]), clock(nodes[i]));
    }
    const Seconds work_at_end = dag.tail.empty() ? Seconds(0) : dag.tail[last];
    parker.wait(timing.makespan - end(last) - work_at_end, clock(last), clock(first));
  }
  return parker.result();
}

}  // namespace kareus::pipeline
