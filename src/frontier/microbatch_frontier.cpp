#include <algorithm>
#include <cmath>
#include <optional>

#include "frontier/pareto_sum.hpp"
#include "kareus/frontier.hpp"
#include "kareus/result.hpp"

namespace kareus::frontier {
namespace {

/// The overlapped executions of one clock, before it is known which of them survive.
struct Overlapped {
  std::vector<const TypeOptions*> types;  ///< the types that run
  ParetoSum sum;
};

void check(const Cost& cost) {
  KAREUS_CHECK(std::isfinite(cost.time.si()) && cost.time.si() >= 0 && std::isfinite(cost.effective_energy.si()));
}

/// Nothing when a type that runs has no options, or no type runs.
std::optional<Overlapped> overlapped(const ClockOptions& clock) {
  std::vector<const TypeOptions*> types;
  std::vector<std::vector<Cost>> parts;
  for (const TypeOptions& type : clock.types) {
    KAREUS_CHECK(std::isfinite(type.count) && type.count >= 0);
    if (type.count == 0) continue;
    if (type.options.empty()) return std::nullopt;
    std::vector<Cost>& part = parts.emplace_back();
    part.reserve(type.options.size());
    for (const TypeOptions::Option& option : type.options) {
      check(option.cost);
      part.push_back({type.count * option.cost.time, type.count * option.cost.effective_energy});
    }
    types.push_back(&type);
  }
  if (types.empty()) return std::nullopt;
  return Overlapped{std::move(types), ParetoSum(parts)};
}

/// Where a candidate of the final Pareto set comes from.
struct Origin {
  std::size_t clock = 0;
  std::optional<std::size_t> point;  ///< of the clock's overlapped front; nothing: sequential execution
};

schedule::MicrobatchSchedule make_schedule(const ClockOptions& clock, const std::optional<Overlapped>& execution,
                                           const Origin& origin) {
  schedule::MicrobatchSchedule schedule{
      .clock = clock.clock, .sequential = !origin.point, .partitions = {}, .recomputed = {}};
  if (!origin.point) return schedule;
  const std::vector<std::uint32_t> choices = execution->sum.choices(*origin.point);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const TypeOptions& type = *execution->types[i];
    auto& configs = type.recomputed ? schedule.recomputed : schedule.partitions;
    configs.emplace(type.type, type.options[choices[i]].config);
  }
  return schedule;
}

}  // namespace

std::vector<schedule::InstructionOption> microbatch_frontier(std::span<const ClockOptions> clocks, Watts static_power) {
  std::vector<std::optional<Overlapped>> executions;
  std::vector<Cost> costs;
  std::vector<Origin> origins;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    check(clocks[i].non_partition);
    const std::optional<Overlapped>& execution = executions.emplace_back(overlapped(clocks[i]));
    if (execution) {
      const std::vector<Cost>& front = execution->sum.front();
      for (std::size_t point = 0; point < front.size(); ++point) {
        costs.push_back({front[point].time + clocks[i].non_partition.time,
                         front[point].effective_energy + clocks[i].non_partition.effective_energy});
        origins.push_back({.clock = i, .point = point});
      }
    }
    if (clocks[i].sequential) {
      check(*clocks[i].sequential);
      costs.push_back(*clocks[i].sequential);
      origins.push_back({.clock = i, .point = std::nullopt});
    }
  }

  std::vector<schedule::InstructionOption> frontier;
  for (const std::size_t index : pareto_front(costs)) {
    const Origin& origin = origins[index];
    frontier.push_back({.time = costs[index].time,
                        .energy = costs[index].effective_energy + static_power * costs[index].time,
                        .schedule = make_schedule(clocks[origin.clock], executions[origin.clock], origin)});
  }
  return frontier;
}

}  // namespace kareus::frontier
