#include "planner/iteration_problem.hpp"

#include <algorithm>
#include <limits>

#include "kareus/rounding.hpp"
#include "planner/instructions.hpp"

namespace kareus::planner {
namespace {

std::vector<pipeline::NodeOption> node_options(const std::vector<schedule::InstructionOption>& options,
                                               Watts static_power) {
  std::vector<pipeline::NodeOption> result;
  for (const schedule::InstructionOption& option : options) {
    result.push_back({.time = option.time, .effective_energy = option.energy - static_power * option.time});
  }
  return result;
}

/// With static power by clock effective energies are without the least of it, and waits are charged the rest.
void add_surcharge(const std::vector<schedule::StageOptions>& stages, const schedule::PowerByClock& static_power_at,
                   IterationProblem& problem) {
  if (static_power_at.empty()) return;
  Watts least(std::numeric_limits<double>::infinity());
  for (const schedule::StageOptions& stage : stages) {
    for (const auto* options : {&stage.forward, &stage.backward}) {
      auto& powers = problem.surcharge.emplace_back();
      for (const schedule::InstructionOption& option : *options) {
        powers.push_back(schedule::power_at(static_power_at, option.schedule.clock));
        least = std::min(least, powers.back());
      }
    }
  }
  problem.static_power = least;
  for (auto& powers : problem.surcharge) {
    for (Watts& power : powers) power -= least;
  }
}

}  // namespace

Result<IterationProblem> make_problem(const std::vector<schedule::StageOptions>& stages,
                                      const workload::Workload& workload, Watts static_power,
                                      const schedule::PowerByClock& static_power_at) {
  IterationProblem problem;
  problem.static_power = static_power;
  add_surcharge(stages, static_power_at, problem);
  problem.order = pipeline::one_forward_one_backward(static_cast<int>(stages.size()), workload.microbatches);
  auto dag = pipeline::build_dag(problem.order);
  if (!dag) return tl::unexpected(std::move(dag).error());
  problem.dag = std::move(*dag);
  for (const schedule::StageOptions& stage : stages) {
    problem.costs.functions.push_back(node_options(stage.forward, problem.static_power));
    problem.costs.functions.push_back(node_options(stage.backward, problem.static_power));
  }
  for (const pipeline::Dag::Node& node : problem.dag.nodes) {
    const bool backward = node.operation.kind == pipeline::OperationKind::backward;
    problem.costs.function_of.push_back(static_cast<std::uint32_t>(2 * node.stage + (backward ? 1 : 0)));
  }
  return problem;
}

schedule::FrontierPoint make_point(const IterationProblem& problem, const std::vector<std::uint32_t>& choice) {
  std::vector<Seconds> durations;
  Joules effective;
  for (std::size_t node = 0; node < choice.size(); ++node) {
    const pipeline::NodeOption& option = problem.costs.functions[problem.costs.function_of[node]][choice[node]];
    durations.push_back(option.time);
    effective += option.effective_energy;
  }
  const pipeline::Timing timing = pipeline::earliest_times(problem.dag, durations);
  const Seconds time = timing.makespan;
  auto energy = frontier::iteration_energy(effective, problem.dag.stages, problem.static_power, time);
  if (!problem.surcharge.empty()) {
    const Joules waiting = pipeline::waiting_energy(problem.dag, problem.costs, timing, choice, problem.surcharge);
    // Instructions too draw static power at their clocks; their energies hold it already.
    Joules working;
    for (std::size_t node = 0; node < choice.size(); ++node) {
      const std::uint32_t function = problem.costs.function_of[node];
      working += problem.surcharge[function][choice[node]] * durations[node];
    }
    energy.total += waiting;
    energy.static_energy += waiting + working;
    energy.dynamic_energy -= working;
  }
  schedule::FrontierPoint point{.time = time,
                                .energy = energy.total,
                                .static_energy = energy.static_energy,
                                .dynamic_energy = energy.dynamic_energy,
                                .bound = energy.total,
                                .watts_per_second_saved = 0,
                                .choices = {}};
  for (const auto& nodes : problem.dag.node_at) {
    std::vector<std::uint32_t> stage;
    for (const std::uint32_t node : nodes) stage.push_back(choice[node]);
    point.choices.push_back(std::move(stage));
  }
  return point;
}

schedule::FrontierFile make_file(std::vector<schedule::StageOptions> stages, const IterationProblem& problem,
                                 const workload::Workload& workload, Watts static_power,
                                 schedule::PowerByClock static_power_at, schedule::Provenance provenance) {
  return {.provenance = std::move(provenance),
          .static_power = static_power,
          .static_power_at = std::move(static_power_at),
          .gpus_per_stage = workload.parallelism.gpus_per_stage(),
          .pipelines = workload.parallelism.data,
          .order = instructions_of(problem.order),
          .stages = std::move(stages),
          .points = {}};
}

void keep_undominated(std::vector<schedule::FrontierPoint>& points) {
  std::vector<frontier::Cost> costs;
  for (const schedule::FrontierPoint& point : points) costs.push_back({point.time, point.energy});
  std::vector<schedule::FrontierPoint> kept;
  for (const std::size_t index : frontier::pareto_front(costs)) kept.push_back(std::move(points[index]));
  points = std::move(kept);
}

}  // namespace kareus::planner
