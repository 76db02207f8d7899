#include <algorithm>
#include <numeric>

#include "planner/iteration_problem.hpp"

namespace kareus::planner {
namespace {

/// Sorts options by time again; returns where each one went.
std::vector<std::uint32_t> sort_by_time(std::vector<schedule::InstructionOption>& options) {
  std::vector<std::uint32_t> order(options.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return options[a].time < options[b].time; });
  std::vector<schedule::InstructionOption> sorted;
  std::vector<std::uint32_t> target(options.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    target[order[i]] = i;
    sorted.push_back(std::move(options[order[i]]));
  }
  options = std::move(sorted);
  return target;
}

}  // namespace

Result<schedule::FrontierFile> with_costs(schedule::FrontierFile frontier, std::vector<schedule::StageOptions> stages,
                                          const workload::Workload& workload) {
  KAREUS_CHECK(stages.size() == frontier.stages.size());
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const auto forward = sort_by_time(stages[stage].forward);
    const auto backward = sort_by_time(stages[stage].backward);
    for (schedule::FrontierPoint& point : frontier.points) {
      for (std::size_t i = 0; i < point.choices[stage].size(); ++i) {
        const bool is_forward = frontier.order[stage][i].kind == schedule::InstructionKind::forward;
        std::uint32_t& choice = point.choices[stage][i];
        choice = (is_forward ? forward : backward)[choice];
      }
    }
  }
  auto problem = make_problem(stages, workload, frontier.static_power, frontier.static_power_at);
  if (!problem) return tl::unexpected(std::move(problem).error());
  for (schedule::FrontierPoint& point : frontier.points) {
    std::vector<std::uint32_t> choice(problem->dag.size());
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      for (std::size_t i = 0; i < point.choices[stage].size(); ++i) {
        choice[problem->dag.node_at[stage][i]] = point.choices[stage][i];
      }
    }
    point = make_point(*problem, choice);
  }
  keep_undominated(frontier.points);
  frontier.stages = std::move(stages);
  return frontier;
}

}  // namespace kareus::planner
