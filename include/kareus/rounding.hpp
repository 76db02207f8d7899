#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kareus/curve.hpp"
#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

/// What a change of clock costs, and what a parked clock saves. Absent values switch the feature off.
struct ClockModel {
  /// Clock of each option, as its function's options are ordered; empty: clocks are not told apart.
  std::vector<std::vector<Clock>> clocks;
  /// A node whose clock differs from the one before it on its stage begins at least that much after its end. Iterations
  /// follow each other: after its last node a stage switches to the clock of its first, beside the fixed work there.
  Seconds switch_latency;
  /// Static power at a clock, blocked; used for the time that a stage waits.
  std::function<Watts(Clock)> static_power;
  Clock parked;  ///< the clock to wait at, when waiting is long enough to pay for two switches
};

/// A plan of real options.
struct RealPlan {
  std::vector<std::uint32_t> choice;  ///< per node: index into its function's options
  Seconds time;                       ///< re-timed on the DAG with the options' own times and the clock switches
  Joules effective_energy;
  Joules parking_saves;    ///< static energy that parked clocks save in bubbles; not subtracted elsewhere
  int clock_switches = 0;  ///< of all stages, parking included
};

/// Real options at least as fast as the curve's durations at `time`, then slack reclaimed and a local search: options
/// change where that saves energy and keeps the makespan within max(time, fastest real makespan). A heuristic with
/// bounded work: the exact problem is NP-hard. It emits only options that there are, and no clock switch that another
/// option of one node, or of a run of nodes with one clock, could spare within the time at less energy.
RealPlan round_to_options(const Dag& dag, const NodeCosts& costs, const Curve& curve, Seconds time,
                          const ClockModel& clocks = {});

/// Plans for many times, each at least as good as round_to_options() alone would be, because a plan found for one time
/// is tried and improved for the next. Ascending in time; a plan that another one beats in time and effective energy is
/// left out, so there may be fewer than `times`.
std::vector<RealPlan> round_frontier(const Dag& dag, const NodeCosts& costs, const Curve& curve,
                                     std::span<const Seconds> times, const ClockModel& clocks = {});

/// What parked clocks save, and what it takes.
struct Parking {
  Joules saves;            ///< static energy
  int clock_switches = 0;  ///< from what runs before to what runs after, around parked waits
};

/// A stage waits at `before`, then goes on at `after`: its clock is parked in between if that saves energy, which it
/// does when the wait is longer than two switches take: (static power before - static power parked) x (wait - 2 x
/// latency). Nothing is saved without static power.
Parking park_wait(Seconds wait, Clock before, Clock after, const ClockModel& clocks);

/// park_wait() of all waits of one iteration, on all stages: between nodes, before the first and after the last and its
/// fixed work. `timing` says when the nodes of `choice` run. Nothing is counted without clocks.
Parking park_waits(const Dag& dag, const NodeCosts& costs, const Timing& timing, std::span<const std::uint32_t> choice,
                   const ClockModel& clocks);

/// What the stages of one iteration draw while they wait, by the power of a function's option: a stage waits at the
/// clock of what ran before, and at its own before its first node. Fixed work at the end of a stage counts as a wait.
Joules waiting_energy(const Dag& dag, const NodeCosts& costs, const Timing& timing,
                      std::span<const std::uint32_t> choice, const std::vector<std::vector<Watts>>& power);

}  // namespace kareus::pipeline
