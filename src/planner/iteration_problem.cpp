#include "planner/iteration_problem.hpp"

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

}  // namespace

Result<IterationProblem> make_problem(const std::vector<schedule::StageOptions>& stages,
                                      const workload::Workload& workload, Watts static_power) {
  IterationProblem problem;
  problem.order = pipeline::one_forward_one_backward(static_cast<int>(stages.size()), workload.microbatches);
  auto dag = pipeline::build_dag(problem.order);
  if (!dag) return tl::unexpected(std::move(dag).error());
  problem.dag = std::move(*dag);
  for (const schedule::StageOptions& stage : stages) {
    problem.costs.functions.push_back(node_options(stage.forward, static_power));
    problem.costs.functions.push_back(node_options(stage.backward, static_power));
  }
  for (const pipeline::Dag::Node& node : problem.dag.nodes) {
    const bool backward = node.operation.kind == pipeline::OperationKind::backward;
    problem.costs.function_of.push_back(static_cast<std::uint32_t>(2 * node.stage + (backward ? 1 : 0)));
  }
  return problem;
}

schedule::FrontierPoint make_point(const IterationProblem& problem, const std::vector<std::uint32_t>& choice,
                                   Seconds time, Joules effective, Watts static_power) {
  const auto energy = frontier::iteration_energy(effective, problem.dag.stages, static_power, time);
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

schedule::FrontierPoint make_timed_point(const IterationProblem& problem, const std::vector<std::uint32_t>& choice,
                                         Watts static_power) {
  std::vector<Seconds> durations;
  Joules effective;
  for (std::size_t node = 0; node < choice.size(); ++node) {
    const pipeline::NodeOption& option = problem.costs.functions[problem.costs.function_of[node]][choice[node]];
    durations.push_back(option.time);
    effective += option.effective_energy;
  }
  const Seconds time = pipeline::earliest_times(problem.dag, durations).makespan;
  return make_point(problem, choice, time, effective, static_power);
}

schedule::FrontierFile make_file(std::vector<schedule::StageOptions> stages, const IterationProblem& problem,
                                 const workload::Workload& workload, Watts static_power,
                                 schedule::Provenance provenance) {
  return {.provenance = std::move(provenance),
          .static_power = static_power,
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
