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
};

/// Errors: those of build_dag().
Result<IterationProblem> make_problem(const std::vector<schedule::StageOptions>& stages,
                                      const workload::Workload& workload, Watts static_power);

/// A point with these options of the nodes; its bound is its own energy.
schedule::FrontierPoint make_point(const IterationProblem& problem, const std::vector<std::uint32_t>& choice,
                                   Seconds time, Joules effective, Watts static_power);

/// The same, timed on the pipeline with the options' own times.
schedule::FrontierPoint make_timed_point(const IterationProblem& problem, const std::vector<std::uint32_t>& choice,
                                         Watts static_power);

/// A frontier without points.
schedule::FrontierFile make_file(std::vector<schedule::StageOptions> stages, const IterationProblem& problem,
                                 const workload::Workload& workload, Watts static_power,
                                 schedule::Provenance provenance);

/// Drops points that another one beats in time and total energy; ascending in time.
void keep_undominated(std::vector<schedule::FrontierPoint>& points);

}  // namespace kareus::planner
