#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kareus/quantity.hpp"
#include "kareus/result.hpp"
#include "kareus/schedule.hpp"

namespace kareus::emulate {

/// A stage of one pipeline that takes longer than planned for everything.
struct Straggler {
  int pipeline = 0;
  int stage = 0;
  double slowdown = 1.0;  ///< of every instruction's time, at least 1

  friend auto operator<=>(const Straggler&, const Straggler&) = default;
};

/// What a plan did not know.
struct Conditions {
  int pipelines = 0;         ///< data-parallel replicas; 0: the plan's
  Seconds transfer;          ///< of activations or gradients between neighbouring stages
  Seconds end_of_iteration;  ///< gradient reduction and optimizer step; GPUs count as blocked then
  Seconds switch_latency;    ///< between two instructions of different clock on a stage
  /// Coefficient of variation of an instruction's time on one GPU; normal, cut off at four sigma. The GPUs of a stage
  /// wait for the slowest of them after every instruction, since their collectives do.
  double jitter = 0;
  /// Pipelines draw jitter from so many streams: pipeline i from stream i modulo this.
  int jitter_streams = 8;
  std::uint64_t seed = 0;
  std::vector<Straggler> stragglers;
  /// Power of a blocked GPU at a clock; empty: what the plan assumes, at any clock.
  std::function<Watts(Clock)> static_power;
  std::optional<Clock> parked;  ///< clock to wait at where a wait pays for two switches; needs `static_power`
};

/// How an iteration of the whole job came out. Energies are of all GPUs.
struct Emulation {
  int gpus = 0;
  int pipelines = 0;
  int simulated_pipelines = 0;  ///< that behave differently; the others are as one of these
  Seconds planned_time;
  Joules planned_energy;
  Seconds time;
  Joules energy;
  Joules waiting_energy;  ///< of `energy`: blocked GPUs
  Joules parking_saves;   ///< what the waiting would have taken more at the clocks before it
  long clock_switches = 0;
};

/// What one GPU of a stage does for a while.
struct Stretch {
  Seconds start;
  Seconds duration;
  std::optional<schedule::Instruction> instruction;  ///< nothing: it waits
  Clock clock;     ///< of the instruction; where it waits, the one that it waits at for the most part
  Joules working;  ///< what the instruction takes
  Joules waiting;  ///< the rest: blocked
};

/// Carries out a plan instruction by instruction on all stages of all pipelines. An instruction begins when its stage
/// is free, has its clock, and has what its neighbour sends; its work costs its planned energy however long it takes,
/// and time beyond the planned is blocked time. Pipelines that behave alike are simulated once unless `symmetry` is
/// off. Deterministic in the plan and the conditions. Errors: bad_input for a plan whose order cannot run, usage for
/// conditions that make no sense (all of them).
Result<Emulation> emulate(const schedule::Plan& plan, const Conditions& conditions, bool symmetry = true);

/// The same of the first pipeline, stage by stage: from 0 to the end of the job's iteration, without gaps. Errors:
/// those of emulate().
Result<std::vector<std::vector<Stretch>>> timeline(const schedule::Plan& plan, const Conditions& conditions);

}  // namespace kareus::emulate
