#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "kareus/schedule.hpp"

namespace kareus::schedule {
namespace {

/// Positive doubles of all magnitudes, from their bits and not from decimal fractions.
double positive() {
  const auto mantissa = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53);
  return std::ldexp(static_cast<double>(mantissa), *rc::gen::inRange(-120, 120));
}

std::string any_text() {
  return *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
}

std::map<std::string, PartitionConfig> any_partitions() {
  std::map<std::string, PartitionConfig> partitions;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    partitions[any_text()] = {SmCount{*rc::gen::inRange(1, 132)}, "s" + any_text()};
  }
  return partitions;
}

MicrobatchSchedule any_schedule() {
  MicrobatchSchedule schedule;
  schedule.clock.mhz = *rc::gen::inRange(1, 3000);
  schedule.sequential = *rc::gen::arbitrary<bool>();
  if (!schedule.sequential) {
    schedule.partitions = any_partitions();
    schedule.recomputed = any_partitions();
  }
  return schedule;
}

std::vector<InstructionOption> any_options() {
  std::vector<InstructionOption> options;
  double time = 0.0;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    time = std::nextafter(time + positive(), HUGE_VAL);
    options.push_back({Seconds(time), Joules(positive()), any_schedule()});
  }
  return options;
}

FrontierPoint any_point(double time, const FrontierFile& frontier) {
  FrontierPoint point;
  point.time = Seconds(time);
  point.static_energy = Joules(positive());
  point.dynamic_energy = Joules(positive());
  point.energy = point.static_energy + point.dynamic_energy;
  point.bound = Joules(positive());
  point.watts_per_second_saved = *rc::gen::element(1.0, -1.0, 0.0) * positive();
  for (std::size_t stage = 0; stage < frontier.order.size(); ++stage) {
    auto& choices = point.choices.emplace_back();
    for (const Instruction& instruction : frontier.order[stage]) {
      choices.push_back(static_cast<std::uint32_t>(
          *rc::gen::inRange<std::size_t>(0, frontier.stages[stage].of(instruction.kind).size())));
    }
  }
  return point;
}

FrontierFile any_frontier(int fewest_points) {
  FrontierFile frontier;
  frontier.provenance = {any_text(), any_text(), any_text(),
                         any_text(), any_text(), *rc::gen::arbitrary<std::uint64_t>()};
  frontier.static_power = Watts(positive());
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    frontier.static_power_at[Clock{*rc::gen::inRange(1, 3000)}] = Watts(positive());
  }
  frontier.gpus_per_stage = *rc::gen::inRange(1, 1000);
  frontier.pipelines = *rc::gen::inRange(1, 1000);
  for (int stage = *rc::gen::inRange(0, 4); stage > 0; --stage) {
    auto& order = frontier.order.emplace_back();
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      order.push_back({InstructionKind::forward, i});
      order.push_back({InstructionKind::backward, i});
    }
    frontier.stages.push_back({any_options(), any_options()});
  }
  double time = 0.0;
  for (int i = *rc::gen::inRange(fewest_points, 4); i > 0; --i) {
    time = std::nextafter(time + positive(), HUGE_VAL);
    frontier.points.push_back(any_point(time, frontier));
  }
  return frontier;
}

RC_GTEST_PROP(FrontierFileProperty, RoundTripsExactly, ()) {
  const FrontierFile frontier = any_frontier(0);
  const std::string text = to_json(frontier);
  const auto parsed = parse_frontier(text, "f.json");
  if (!parsed) RC_FAIL(parsed.error().to_string());
  RC_ASSERT(*parsed == frontier);
  RC_ASSERT(to_json(*parsed) == text);
}

RC_GTEST_PROP(PlanFileProperty, RoundTripsExactly, ()) {
  const FrontierFile frontier = any_frontier(1);
  const Plan plan = make_plan(frontier, *rc::gen::inRange<std::size_t>(0, frontier.points.size()));
  const auto parsed = parse_plan(to_json(plan), "p.json");
  if (!parsed) RC_FAIL(parsed.error().to_string());
  RC_ASSERT(*parsed == plan);
}

RC_GTEST_PROP(SelectProperty, ServesTheRequestOrRefuses, ()) {
  const FrontierFile frontier = any_frontier(1);
  const Seconds deadline(frontier.points[*rc::gen::inRange<std::size_t>(0, frontier.points.size())].time.si() *
                         *rc::gen::element(0.5, 1.0, 1.5));
  const auto chosen = select(frontier, Deadline{deadline});
  bool feasible = false;
  for (const FrontierPoint& point : frontier.points) {
    if (point.time > deadline) continue;
    feasible = true;
    RC_ASSERT(chosen.has_value());
    RC_ASSERT(frontier.points[*chosen].energy <= point.energy);
  }
  if (feasible) {
    RC_ASSERT(frontier.points[*chosen].time <= deadline);
  } else {
    RC_ASSERT(!chosen.has_value());
    RC_ASSERT(chosen.error().code == ErrorCode::infeasible);
  }
}

}  // namespace
}  // namespace kareus::schedule
