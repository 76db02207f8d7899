#pragma once

#include <map>
#include <string>
#include <vector>

#include "kareus/instruction_frontier.hpp"

namespace kareus::planner {

/// Profiled pipelines that meet at the gradient reduction, in the form that the pipeline room takes.
struct PipelineGroup {
  std::vector<int> stages;  ///< of each pipeline
  pipeline::Order order;    ///< per stage, pipelines one after another
  std::vector<std::map<InstructionName, std::vector<ProfileOption>>> options;  ///< per pipeline, used ones only
  pipeline::Dag dag;
  pipeline::NodeCosts measured;            ///< in the order of `options`
  pipeline::NodeCosts curve;               ///< what the curve is computed with
  std::vector<std::vector<Clock>> clocks;  ///< of the options of `measured`
  std::vector<std::string> notes;
};

/// Errors: bad_input with every instruction that the order needs and a profile does not have, and those of
/// make_order(), build_dag() and exponential_costs().
Result<PipelineGroup> make_group(const std::vector<InstructionProfile>& profiles,
                                 const InstructionFrontierOptions& options);

}  // namespace kareus::planner
