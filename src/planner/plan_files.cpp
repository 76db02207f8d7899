#include <fmt/format.h>

#include <algorithm>

#include "kareus/instruction_frontier.hpp"

namespace kareus::planner {
namespace {

using pipeline::OperationKind;

/// Names of the published form; nothing for what it cannot say.
const char* published_name(OperationKind kind) {
  switch (kind) {
    case OperationKind::forward:
      return "forward";
    case OperationKind::backward:
      return "backward";
    case OperationKind::input_gradient:
    case OperationKind::weight_gradient:
    case OperationKind::recompute:
      return nullptr;
  }
  return nullptr;
}

/// One plan of one pipeline, and its effective energy.
struct PipelinePlan {
  std::string text;
  Joules effective;
};

PipelinePlan pipeline_plan(const InstructionFrontier& frontier, const InstructionPoint& point, std::size_t first_stage,
                           int stages) {
  PipelinePlan plan;
  plan.text = "[\n";
  for (std::size_t stage = first_stage; stage < first_stage + static_cast<std::size_t>(stages); ++stage) {
    plan.text += '[';
    for (std::size_t i = 0; i < frontier.order[stage].size(); ++i) {
      const ProfileOption& option = frontier.options_at(stage, i)[point.choices[stage][i]];
      plan.effective += option.energy - frontier.static_power * option.time;
      plan.text += fmt::format("{}('{}', {})", i == 0 ? "" : ", ", published_name(frontier.order[stage][i].kind),
                               option.clock.mhz);
    }
    plan.text += "],\n";
  }
  plan.text += "]\n";
  return plan;
}

}  // namespace

Result<std::vector<PlanText>> to_plan_files(const InstructionFrontier& frontier) {
  for (std::size_t stage = 0; stage < frontier.order.size(); ++stage) {
    for (const pipeline::Operation& operation : frontier.order[stage]) {
      if (published_name(operation.kind) != nullptr) continue;
      return fail(ErrorCode::bad_input,
                  fmt::format("the schedule {} runs instructions that plan files cannot say: they know forward and "
                              "backward only",
                              frontier.schedule),
                  {}, "use --format json");
    }
  }
  std::vector<PlanText> files;
  std::size_t first_stage = 0;
  for (std::size_t pipeline = 0; pipeline < frontier.pipeline_stages.size(); ++pipeline) {
    const int stages = frontier.pipeline_stages[pipeline];
    const std::string folder = frontier.pipeline_stages.size() > 1 ? fmt::format("pipeline_{}/", pipeline) : "";
    Joules before;
    // The publisher's solver steps from the slowest plan to the fastest.
    for (std::size_t index = 0; index < frontier.points.size(); ++index) {
      const InstructionPoint& point = frontier.points[frontier.points.size() - 1 - index];
      PipelinePlan plan = pipeline_plan(frontier, point, first_stage, stages);
      const Joules share = point.static_energy * (static_cast<double>(stages) / frontier.stages());
      const Joules change = index == 0 ? Joules(0) : plan.effective - before;
      before = plan.effective;
      plan.text += fmt::format(
          "# Iteration {0} cost change: {1}\n# Iteration {0} total cost: {2}\n# Iteration {0} total cost with P2P: "
          "{3}\n",
          index, change.si(), plan.effective.si(), (plan.effective + share).si());
      files.push_back({fmt::format("{}freqs_pipeline_{:05}.py", folder, index), std::move(plan.text)});
    }
    first_stage += static_cast<std::size_t>(stages);
  }
  return files;
}

}  // namespace kareus::planner
