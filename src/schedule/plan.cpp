#include <cstddef>

#include "kareus/schedule.hpp"

namespace kareus::schedule {

std::string to_string(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::forward:
      return "forward";
    case InstructionKind::backward:
      return "backward";
  }
  KAREUS_CHECK(false);
}

Watts power_at(const PowerByClock& table, Clock clock) {
  KAREUS_CHECK(!table.empty());
  const auto above = table.lower_bound(clock);
  if (above == table.end()) return std::prev(above)->second;
  if (above == table.begin() || above->first == clock) return above->second;
  const auto below = std::prev(above);
  const double share = static_cast<double>(clock.mhz - below->first.mhz) / (above->first.mhz - below->first.mhz);
  return below->second + (above->second - below->second) * share;
}

Watts waiting_power(Watts constant, const PowerByClock& table, Clock clock) {
  return table.empty() ? constant : power_at(table, clock);
}

Joules job_energy(const FrontierFile& frontier, Joules energy) {
  return energy * static_cast<double>(frontier.gpus_per_stage) * static_cast<double>(frontier.pipelines);
}

Plan make_plan(const FrontierFile& frontier, std::size_t index) {
  KAREUS_CHECK(index < frontier.points.size());
  const FrontierPoint& point = frontier.points[index];
  KAREUS_CHECK(frontier.order.size() == frontier.stages.size());
  KAREUS_CHECK(point.choices.size() == frontier.order.size());
  Plan plan{.provenance = frontier.provenance,
            .gpus_per_stage = frontier.gpus_per_stage,
            .pipelines = frontier.pipelines,
            .static_power = frontier.static_power,
            .static_power_at = frontier.static_power_at,
            .time = point.time,
            .energy = point.energy,
            .static_energy = point.static_energy,
            .dynamic_energy = point.dynamic_energy,
            .stages = {}};
  plan.stages.resize(frontier.order.size());
  for (std::size_t stage = 0; stage < frontier.order.size(); ++stage) {
    const auto& order = frontier.order[stage];
    KAREUS_CHECK(point.choices[stage].size() == order.size());
    plan.stages[stage].reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& options = frontier.stages[stage].of(order[i].kind);
      const std::size_t choice = point.choices[stage][i];
      KAREUS_CHECK(choice < options.size());
      const InstructionOption& option = options[choice];
      plan.stages[stage].push_back({order[i], option.time, option.energy, option.schedule});
    }
  }
  return plan;
}

}  // namespace kareus::schedule
