#include "evaluate/carry_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evaluate/provenance.hpp"
#include "evaluate/searched.hpp"

namespace kareus::evaluate {
namespace {

std::string text_of(const schedule::MicrobatchSchedule& schedule) {
  std::string text = fmt::format("{} MHz", schedule.clock.mhz);
  if (schedule.sequential) return text + ", sequential";
  const auto append = [&](const auto& configs, const char* prefix) {
    for (const auto& [type, config] : configs) {
      text += fmt::format(", {}{} {} on {} SMs", prefix, type, config.launch_slot, config.sm_count.value);
    }
  };
  append(schedule.recomputed, "recomputed ");
  append(schedule.partitions, "");
  return text;
}

void drop_sequential(planner::Measured& measured) {
  std::erase_if(measured.measurements,
                [](const profile::Measurement& one) { return one.work.ends_with("sequential_layer"); });
}

/// Method::kareus as its measurements make it plan.
Result<schedule::FrontierFile> planned(const Recipe& recipe, const workload::Workload& workload,
                                       const Exhaustive& simulated, const device::DeviceInfo& info,
                                       const planner::Measured& measured, std::size_t points) {
  auto stages = planner::stage_options(workload, simulated.parts, info, measured, workload.can_overlap());
  if (!stages) return tl::unexpected(std::move(stages).error());
  schedule::Provenance provenance = provenance_of("kareus", workload, info);
  if (recipe.unit_steps) {
    return planner::unit_step_frontier(std::move(*stages), workload, measured.static_power, points,
                                       std::move(provenance));
  }
  return planner::iteration_frontier(std::move(*stages), workload, measured.static_power, points, std::move(provenance),
                                     measured.static_power_at);
}

}  // namespace

Result<planner::Measured> measurements_of(const Recipe& recipe, const Exhaustive& simulated,
                                          const device::NoiseModel& noise, std::uint64_t seed) {
  switch (recipe.method) {
    case Method::megatron:
    case Method::nanobatching: {
      // Nothing is chosen, so nothing needs to be measured before.
      return planner::Measured{.static_power = simulated.sequential.static_power,
                               .static_power_at = simulated.sequential.static_power_at,
                               .measurements = {}};
    }
    case Method::megatron_perseus:
      return simulated.sequential;
    case Method::nanobatching_perseus:
      return simulated.nanobatched;
    case Method::kareus:
      break;
  }
  planner::Measured measured = simulated.overlapped;
  if (!recipe.kernels) {
    measured = simulated.nanobatched;
    for (const profile::Measurement& one : simulated.sequential.measurements) {
      if (one.work.ends_with("sequential_layer")) measured.measurements.push_back(one);
    }
  } else if (recipe.search != Search::exhaustive) {
    auto found = searched(recipe, simulated, noise, seed);
    if (!found) return found;
    measured = std::move(*found);
  }
  if (!recipe.sequential) drop_sequential(measured);
  if (!recipe.clocks) {
    std::erase_if(measured.measurements, [&](const profile::Measurement& one) {
      return one.execution.clock != simulated.info.clocks.front();
    });
  }
  return measured;
}

Result<schedule::FrontierFile> carry_out(const Recipe& recipe, const workload::Workload& workload,
                                         const Exhaustive& simulated, const planner::Measured& measured,
                                         std::size_t points) {
  device::DeviceInfo info = simulated.info;
  if (!recipe.clocks) info.clocks.resize(1);
  auto frontier = recipe.method == Method::kareus ? planned(recipe, workload, simulated, info, measured, points)
                                                  : frontier_of(recipe.method, workload, simulated, points);
  if (!frontier) return frontier;
  auto stages = frontier->stages;
  // What was not searched was planned from an exhaustive profile: it has no noise, and without scheduling
  // configurations that no search would measure.
  if (recipe.method == Method::kareus && recipe.search != Search::exhaustive) {
    auto really = planner::recost(std::move(stages), simulated.parts, workload, info, simulated.overlapped);
    if (!really) return tl::unexpected(std::move(really).error());
    stages = std::move(*really);
  }
  // What the device draws in waits, whatever the recipe took it for.
  frontier->static_power_at = simulated.overlapped.static_power_at;
  return planner::with_costs(std::move(*frontier), std::move(stages), workload);
}

std::vector<std::string> common_schedules(const schedule::FrontierFile& frontier, std::size_t point) {
  std::vector<std::string> lines;
  for (std::size_t stage = 0; stage < frontier.order.size(); ++stage) {
    for (const auto kind : {schedule::InstructionKind::forward, schedule::InstructionKind::backward}) {
      std::map<std::uint32_t, std::size_t> counts;
      std::size_t all = 0;
      for (std::size_t i = 0; i < frontier.order[stage].size(); ++i) {
        if (frontier.order[stage][i].kind != kind) continue;
        ++counts[frontier.points[point].choices[stage][i]];
        ++all;
      }
      const auto most = std::max_element(counts.begin(), counts.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      lines.push_back(fmt::format("stage {} {} ({} of {}): {}", stage, to_string(kind), most->second, all,
                                  text_of(frontier.stages[stage].of(kind)[most->first].schedule)));
    }
  }
  return lines;
}

}  // namespace kareus::evaluate
