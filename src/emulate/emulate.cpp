#include "kareus/emulate.hpp"

#include <algorithm>
#include <map>

#include "emulate/conditions.hpp"
#include "kareus/pipeline.hpp"
#include "kareus/rounding.hpp"

namespace kareus::emulate {
namespace {

/// What tells pipelines apart: its stragglers and its stream of jitter.
struct Behaviour {
  std::vector<std::pair<int, double>> slowdowns;  ///< stage and factor
  int stream = 0;
  int own = 0;  ///< set apart without symmetry

  friend auto operator<=>(const Behaviour&, const Behaviour&) = default;
};

/// One pipeline carried out; energies are of one GPU of each stage.
struct Run {
  Seconds end;
  pipeline::Timing timing;
  std::vector<Seconds> durations;
};

/// Sums of one GPU of each stage of a pipeline.
struct Spent {
  Joules working;
  Joules waiting;
  Joules parking_saves;
  long switches = 0;
};

class Emulator {
 public:
  Emulator(const schedule::Plan& plan, const Conditions& conditions, pipeline::Dag dag)
      : plan_(plan), conditions_(conditions), dag_(std::move(dag)) {
    clocks_.switch_latency = conditions.switch_latency;
    if (conditions.parked) {
      clocks_.static_power = conditions.static_power;
      clocks_.parked = *conditions.parked;
    }
    add_switches();
  }

  Run run(const Behaviour& behaviour) const {
    Run result;
    result.durations.resize(dag_.size());
    for (std::size_t stage = 0; stage < plan_.stages.size(); ++stage) {
      double slowdown = 1.0;
      for (const auto& [slow, factor] : behaviour.slowdowns) {
        if (static_cast<std::size_t>(slow) == stage) slowdown *= factor;
      }
      for (std::size_t i = 0; i < plan_.stages[stage].size(); ++i) {
        const double factor = jitter_factor(conditions_, behaviour.stream, stage, i, plan_.gpus_per_stage);
        result.durations[dag_.node_at[stage][i]] = plan_.stages[stage][i].time * (slowdown * factor);
      }
    }
    result.timing = pipeline::earliest_times(dag_, result.durations);
    result.end = result.timing.makespan;
    return result;
  }

  /// What a run spends until the whole job's iteration has ended.
  Spent spent(const Run& run, Seconds job_end) const {
    Spent sum;
    for (std::size_t stage = 0; stage < plan_.stages.size(); ++stage) {
      for (const Stretch& stretch : stretches(run, stage, job_end, sum)) {
        sum.working += stretch.working;
        sum.waiting += stretch.waiting;
      }
    }
    return sum;
  }

  /// What a GPU of a stage does until then; adds what parking saves and the switches to `sum`.
  std::vector<Stretch> stretches(const Run& run, std::size_t stage, Seconds job_end, Spent& sum) const {
    const auto& instructions = plan_.stages[stage];
    const auto& nodes = dag_.node_at[stage];
    std::vector<Stretch> all;
    Clock clock = instructions.back().schedule.clock;
    Seconds free_at(0);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const Clock next = instructions[i].schedule.clock;
      const Seconds start = run.timing.start[nodes[i]];
      const Seconds duration = run.durations[nodes[i]];
      // The clock of the first instruction was set at the end of the iteration before.
      wait(all, sum, free_at, start, i == 0 ? next : clock, next);
      clock = next;
      all.push_back({.start = start,
                     .duration = duration,
                     .instruction = instructions[i].instruction,
                     .clock = clock,
                     .working = instructions[i].energy,
                     .waiting = blocked_power(clock) * (duration - instructions[i].time)});
      free_at = start + duration;
    }
    wait(all, sum, free_at, job_end, clock, instructions.front().schedule.clock);
    return all;
  }

 private:
  Watts blocked_power(Clock clock) const {
    if (conditions_.static_power) return conditions_.static_power(clock);
    return schedule::waiting_power(plan_.static_power, plan_.static_power_at, clock);
  }

  /// A switch delays the instruction that needs it; the one back to the first clock delays the end.
  void add_switches() {
    for (std::size_t stage = 0; stage < plan_.stages.size(); ++stage) {
      const auto& instructions = plan_.stages[stage];
      const auto& nodes = dag_.node_at[stage];
      for (std::size_t i = 1; i < nodes.size(); ++i) {
        if (instructions[i].schedule.clock == instructions[i - 1].schedule.clock) continue;
        for (auto& before : dag_.predecessors[nodes[i]]) {
          if (before.node == nodes[i - 1]) before.lag = std::max(before.lag, conditions_.switch_latency);
        }
      }
      const bool changes = instructions.back().schedule.clock != instructions.front().schedule.clock;
      if (changes) dag_.tail[nodes.back()] = std::max(dag_.tail[nodes.back()], conditions_.switch_latency);
    }
  }

  /// A negative wait can only come from rounding.
  void wait(std::vector<Stretch>& all, Spent& sum, Seconds from, Seconds until, Clock before, Clock after) const {
    const Seconds duration = std::max(until - from, Seconds(0));
    const pipeline::Parking parking = pipeline::park_wait(duration, before, after, clocks_);
    sum.parking_saves += parking.saves;
    sum.switches += parking.clock_switches;
    if (duration == Seconds(0)) return;
    all.push_back({.start = from,
                   .duration = duration,
                   .instruction = std::nullopt,
                   .clock = parking.saves > Joules(0) ? clocks_.parked : before,
                   .working = {},
                   .waiting = blocked_power(before) * duration - parking.saves});
  }

  const schedule::Plan& plan_;
  const Conditions& conditions_;
  pipeline::Dag dag_;
  pipeline::ClockModel clocks_;
};

/// The plan's order with its neighbours' dependencies.
Result<pipeline::Dag> dag_of(const schedule::Plan& plan, const Conditions& conditions) {
  pipeline::Order order;
  for (const auto& stage : plan.stages) {
    auto& operations = order.emplace_back();
    for (const schedule::PlannedInstruction& one : stage) {
      const bool forward = one.instruction.kind == schedule::InstructionKind::forward;
      operations.push_back({forward ? pipeline::OperationKind::forward : pipeline::OperationKind::backward,
                            one.instruction.microbatch, 0});
    }
  }
  return pipeline::build_dag(
      order,
      {.transfer = conditions.transfer, .gradient_reduction = conditions.end_of_iteration, .optimizer_step = {}});
}

/// How many pipelines behave in which way, and how the first of them does.
struct Behaviours {
  std::map<Behaviour, int> counts;
  Behaviour first;
};

Behaviours behaviours(const Conditions& conditions, int pipelines, bool symmetry) {
  Behaviours result;
  for (int pipeline = 0; pipeline < pipelines; ++pipeline) {
    Behaviour behaviour;
    for (const Straggler& one : conditions.stragglers) {
      if (one.pipeline == pipeline) behaviour.slowdowns.emplace_back(one.stage, one.slowdown);
    }
    std::sort(behaviour.slowdowns.begin(), behaviour.slowdowns.end());
    if (conditions.jitter > 0) behaviour.stream = pipeline % conditions.jitter_streams;
    if (!symmetry) behaviour.own = pipeline;
    if (pipeline == 0) result.first = behaviour;
    ++result.counts[behaviour];
  }
  return result;
}

int pipelines_of(const schedule::Plan& plan, const Conditions& conditions) {
  return conditions.pipelines > 0 ? conditions.pipelines : plan.pipelines;
}

Result<Emulator> make_emulator(const schedule::Plan& plan, const Conditions& conditions) {
  KAREUS_RETURN_IF_ERROR(check_conditions(plan, conditions));
  auto dag = dag_of(plan, conditions);
  if (!dag) return tl::unexpected(std::move(dag).error());
  return Emulator(plan, conditions, std::move(*dag));
}

}  // namespace

Result<Emulation> emulate(const schedule::Plan& plan, const Conditions& conditions, bool symmetry) {
  const auto emulator = make_emulator(plan, conditions);
  if (!emulator) return tl::unexpected(emulator.error());
  const int pipelines = pipelines_of(plan, conditions);
  const auto counts = behaviours(conditions, pipelines, symmetry).counts;
  std::vector<std::pair<Run, int>> runs;
  Seconds end(0);
  for (const auto& [behaviour, count] : counts) {
    runs.emplace_back(emulator->run(behaviour), count);
    end = std::max(end, runs.back().first.end);
  }
  const double gpus_per_stage = plan.gpus_per_stage;
  Emulation result{.gpus = pipelines * static_cast<int>(plan.stages.size()) * plan.gpus_per_stage,
                   .pipelines = pipelines,
                   .simulated_pipelines = static_cast<int>(counts.size()),
                   .planned_time = plan.time,
                   .planned_energy = plan.energy * (gpus_per_stage * pipelines),
                   .time = end,
                   .energy = {},
                   .waiting_energy = {},
                   .parking_saves = {},
                   .clock_switches = 0};
  for (const auto& [run, count] : runs) {
    const Spent spent = emulator->spent(run, end);
    result.energy += (spent.working + spent.waiting) * (gpus_per_stage * count);
    result.waiting_energy += spent.waiting * (gpus_per_stage * count);
    result.parking_saves += spent.parking_saves * (gpus_per_stage * count);
    result.clock_switches += spent.switches * plan.gpus_per_stage * count;
  }
  return result;
}

Result<std::vector<std::vector<Stretch>>> timeline(const schedule::Plan& plan, const Conditions& conditions) {
  const auto emulator = make_emulator(plan, conditions);
  if (!emulator) return tl::unexpected(emulator.error());
  const auto [counts, first] = behaviours(conditions, pipelines_of(plan, conditions), true);
  const Run run = emulator->run(first);
  Seconds end = run.end;
  for (const auto& [behaviour, count] : counts) {
    if (behaviour != first) end = std::max(end, emulator->run(behaviour).end);
  }
  std::vector<std::vector<Stretch>> stages;
  Spent unused;
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
    stages.push_back(emulator->stretches(run, stage, end, unused));
  }
  return stages;
}

}  // namespace kareus::emulate
