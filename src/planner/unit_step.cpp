#include <algorithm>
#include <cmath>

#include "kareus/curve.hpp"
#include "kareus/instruction_frontier.hpp"
#include "planner/iteration_problem.hpp"

namespace kareus::planner {
namespace {

const Seconds kUnit{1e-3};
constexpr double kNoiseFactor = 0.95;  ///< of the published optimiser, see exponential_costs()

long units(Seconds time) {
  constexpr double kRounding = 1e-6;  // of the curve's own durations, which are whole units
  return static_cast<long>(std::floor(time / kUnit + kRounding));
}

std::vector<ProfileOption> profile_options(const std::vector<schedule::InstructionOption>& options) {
  std::vector<ProfileOption> result;
  for (const schedule::InstructionOption& option : options) {
    result.push_back(
        {.clock = option.schedule.clock, .configuration = {}, .time = option.time, .energy = option.energy});
  }
  return result;
}

/// What the published optimiser computes with: a sampled fit, or the options themselves where no exponential fits.
pipeline::NodeCosts fitted_costs(const IterationProblem& problem, const std::vector<schedule::StageOptions>& stages,
                                 Watts static_power) {
  pipeline::NodeCosts costs = problem.costs;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    for (const bool backward : {false, true}) {
      const auto& options = backward ? stages[stage].backward : stages[stage].forward;
      auto fitted = exponential_costs(profile_options(options), static_power, kUnit, kNoiseFactor, {});
      if (fitted) costs.functions[2 * stage + (backward ? 1 : 0)] = std::move(*fitted);
    }
  }
  return costs;
}

/// The slowest option that is no slower in whole units, as the published optimiser looks clocks up.
std::uint32_t look_up(const std::vector<pipeline::NodeOption>& options, Seconds duration) {
  std::uint32_t choice = 0;
  for (std::uint32_t i = 0; i < options.size(); ++i) {
    if (units(options[i].time) <= units(duration)) choice = i;
  }
  return choice;
}

}  // namespace

Result<schedule::FrontierFile> unit_step_frontier(std::vector<schedule::StageOptions> stages,
                                                  const workload::Workload& workload, Watts static_power,
                                                  std::size_t points, schedule::Provenance provenance) {
  auto problem = make_problem(stages, workload, static_power);
  if (!problem) return tl::unexpected(std::move(problem).error());
  const pipeline::NodeCosts costs = fitted_costs(*problem, stages, static_power);
  const Watts all_static_power = problem->all_static_power();
  auto curve = pipeline::Curve::solve(problem->dag, costs, {.least_slope = all_static_power});
  if (!curve) return tl::unexpected(std::move(curve).error());

  std::vector<schedule::FrontierPoint> realised;
  for (const Seconds time : curve->even_times(std::max<std::size_t>(points, 2))) {
    const auto durations = curve->durations(time);
    std::vector<std::uint32_t> choice;
    for (std::size_t node = 0; node < durations.size(); ++node) {
      choice.push_back(look_up(problem->costs.functions[problem->costs.function_of[node]], durations[node]));
    }
    realised.push_back(make_point(*problem, choice));
  }
  keep_undominated(realised);
  auto file = make_file(std::move(stages), *problem, workload, static_power, {}, std::move(provenance));
  file.points = std::move(realised);
  return file;
}

}  // namespace kareus::planner
