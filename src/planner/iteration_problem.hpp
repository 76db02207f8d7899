#pragma once

#include <vector>

#include "kareus/frontier.hpp"
#include "kareus/pipeline.hpp"
#include "kareus/planner.hpp"

namespace kareus::planner {

/// The pipeline of a workload with the options of its stages, in the form that the pipeline room takes.
struct IterationProblem {
  pipeline::Order order;
  pipeline::Dag dag;
  pipeline::NodeCosts costs;  ///< two functions per stage: forward, backward
  Watts static_power;         ///< that effective energies are without: with static power by clock the least
  /// Of each function's options: what a GPU draws above `static_power` at its clock; empty without static power by
  /// clock.
  std::vector<std::vector<Watts>> surcharge;

  Watts all_static_power() const { return static_power * static_cast<double>(dag.stages); }
};

/// Errors: those of build_dag().
Result<IterationProblem> make_problem(const std::vector<schedule::StageOptions>& stages,
                                      const workload::Workload& workload, Watts static_power,
                                      const schedule::PowerByClock& static_power_at = {});

/// A point with these options of the nodes, each as early as the pipeline lets it; its bound is its own energy.
schedule::FrontierPoint make_point(const IterationProblem& problem, const std::vector<std::uint32_t>& choice);

/// A frontier without points.
schedule::FrontierFile make_file(std::vector<schedule::StageOptions> stages, const IterationProblem& problem,
                                 const workload::Workload& workload, Watts static_power,
                                 schedule::PowerByClock static_power_at, schedule::Provenance provenance);

/// Drops points that another one beats in time and total energy; ascending in time.
void keep_undominated(std::vector<schedule::FrontierPoint>& points);

}  // namespace kareus::planner
