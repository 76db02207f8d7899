#include "exact_frontier.hpp"

#include <algorithm>

#include "kareus/planner.hpp"

namespace kareus::bench {

Truth::Truth(const workload::Workload& workload, const evaluate::Exhaustive& all) : workload_(workload), all_(all) {
  for (const profile::Measurement& one : all.overlapped.measurements) {
    by_configuration_.emplace(Key(one.work, one.execution.clock, one.execution.config), &one);
  }
}

const profile::Measurement* Truth::find(const profile::Measurement& measurement) const {
  const device::Execution& execution = measurement.execution;
  const auto found = by_configuration_.find(Key(measurement.work, execution.clock, execution.config));
  return found == by_configuration_.end() ? nullptr : found->second;
}

Result<schedule::InstructionOption> Truth::exact(const schedule::InstructionOption& option, std::size_t stage,
                                                 schedule::InstructionKind kind) const {
  const Clock clock = option.schedule.clock;
  const auto used = [&](const profile::Measurement& one) {
    if (one.execution.clock != clock) return false;
    if (!one.execution.config) return true;
    const auto is = [&](const auto& partition) {
      return partition.first == one.work && partition.second == *one.execution.config;
    };
    return std::any_of(option.schedule.partitions.begin(), option.schedule.partitions.end(), is) ||
           std::any_of(option.schedule.recomputed.begin(), option.schedule.recomputed.end(), is);
  };
  planner::Measured measured{.static_power = all_.overlapped.static_power, .measurements = {}};
  std::copy_if(all_.overlapped.measurements.begin(), all_.overlapped.measurements.end(),
               std::back_inserter(measured.measurements), used);
  const auto stages = planner::stage_options(workload_, all_.parts, all_.info, measured, !option.schedule.sequential);
  if (!stages) return tl::unexpected(stages.error());
  const auto& options = (*stages)[stage].of(kind);
  const auto same = std::find_if(options.begin(), options.end(),
                                 [&](const auto& other) { return other.schedule == option.schedule; });
  if (same != options.end()) return *same;
  ++replaced_;
  return options.back();
}

Result<std::vector<ExactPoint>> Truth::evaluate(const schedule::FrontierFile& frontier) const {
  std::vector<schedule::StageOptions> stages(frontier.stages.size());
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    for (const auto kind : {schedule::InstructionKind::forward, schedule::InstructionKind::backward}) {
      for (const schedule::InstructionOption& option : frontier.stages[stage].of(kind)) {
        auto one = exact(option, stage, kind);
        if (!one) return tl::unexpected(std::move(one).error());
        const bool forward = kind == schedule::InstructionKind::forward;
        (forward ? stages[stage].forward : stages[stage].backward).push_back(std::move(*one));
      }
    }
  }
  schedule::FrontierFile planned = frontier;
  planned.static_power = all_.overlapped.static_power;
  planned.static_power_at = all_.overlapped.static_power_at;
  const auto charged = planner::with_costs(std::move(planned), std::move(stages), workload_);
  if (!charged) return tl::unexpected(charged.error());
  std::vector<ExactPoint> points;
  for (const schedule::FrontierPoint& point : charged->points) points.push_back({point.time.si(), point.energy.si()});
  return points;
}

namespace {

/// Least energy at a time: interpolated along the lower right edge, constant after the last point.
double energy_at(const std::vector<ExactPoint>& points, double time) {
  double before_time = points.front().time_s;
  double before = points.front().energy_j;
  for (const ExactPoint& point : points) {
    if (point.energy_j >= before) continue;
    if (point.time_s > time) {
      const double share = (time - before_time) / (point.time_s - before_time);
      return before + share * (point.energy_j - before);
    }
    before_time = point.time_s;
    before = point.energy_j;
  }
  return before;
}

std::vector<ExactPoint> ascending(std::vector<ExactPoint> points) {
  std::sort(points.begin(), points.end(), [](const ExactPoint& a, const ExactPoint& b) { return a.time_s < b.time_s; });
  return points;
}

}  // namespace

double mean_excess_energy(const std::vector<ExactPoint>& points, const std::vector<ExactPoint>& best) {
  const auto ours = ascending(points);
  const auto theirs = ascending(best);
  constexpr int kTimes = 200;
  const double first = std::max(ours.front().time_s, theirs.front().time_s);
  const double last = std::max(ours.back().time_s, theirs.back().time_s);
  double sum = 0.0;
  for (int i = 0; i <= kTimes; ++i) {
    const double time = first + (last - first) * i / kTimes;
    sum += energy_at(ours, time) / energy_at(theirs, time) - 1.0;
  }
  return sum / (kTimes + 1);
}

}  // namespace kareus::bench
