#include "kareus/emulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace kareus::emulate {
namespace {

using schedule::InstructionKind;

/// 1F1B of two stages and two microbatches; forward 1 s at 1200 MHz, backward 2 s at 1410 MHz.
schedule::Plan plan() {
  const auto one = [](InstructionKind kind, int microbatch) {
    const bool forward = kind == InstructionKind::forward;
    return schedule::PlannedInstruction{
        .instruction = {kind, microbatch},
        .time = Seconds(forward ? 1 : 2),
        .energy = Joules(forward ? 200 : 500),
        .schedule = {.clock = Clock{forward ? 1200 : 1410}, .sequential = true, .partitions = {}, .recomputed = {}}};
  };
  const auto f = InstructionKind::forward;
  const auto b = InstructionKind::backward;
  // Stage 1: F0 at 1, B0 at 2, F1 at 4, B1 at 5 to 7. Stage 0: F0, F1 at 1, B0 at 4, B1 at 7 to 9.
  schedule::Plan result{
      .provenance = {},
      .gpus_per_stage = 4,
      .pipelines = 3,
      .static_power = Watts(50),
      .time = Seconds(9),
      .energy = {},
      .static_energy = Joules(2 * 50 * 9),
      .dynamic_energy = Joules(4 * (200 - 50) + 4 * (500 - 100)),
      .stages = {{one(f, 0), one(f, 1), one(b, 0), one(b, 1)}, {one(f, 0), one(b, 0), one(f, 1), one(b, 1)}}};
  result.energy = result.static_energy + result.dynamic_energy;
  return result;
}

TEST(Emulation, IsThePlanWhereNothingIsUnexpected) {
  const auto result = emulate(plan(), {}).value();
  EXPECT_EQ(result.gpus, 24);
  EXPECT_EQ(result.simulated_pipelines, 1);
  EXPECT_DOUBLE_EQ(result.time.si(), 9);
  EXPECT_NEAR(result.energy.si(), result.planned_energy.si(), 1e-9);
  EXPECT_NEAR(result.planned_energy.si(), 12 * plan().energy.si(), 1e-9);
}

TEST(Emulation, TransfersAndSwitchesDelayWhatWaitsForThem) {
  // F0 0-1, sent until 1.5; stage 1 F0 1.5-2.5, B0 2.5-4.5, sent until 5; stage 0 B0 5-7, F1 of stage 1 4.5-5.5, its
  // B1 5.5-7.5, sent until 8; stage 0 B1 8-10.
  EXPECT_DOUBLE_EQ(emulate(plan(), {.transfer = Seconds(0.5)})->time.si(), 10);
  // Stage 1 switches three times on the critical path, and stage 0 back at the end.
  EXPECT_DOUBLE_EQ(emulate(plan(), {.switch_latency = Seconds(0.25)})->time.si(), 9 + 4 * 0.25);
}

TEST(Emulation, WaitsForTheSlowestPipeline) {
  const auto result = emulate(plan(), {.stragglers = {{.pipeline = 1, .stage = 1, .slowdown = 2.0}}}).value();
  EXPECT_EQ(result.simulated_pipelines, 2);
  EXPECT_DOUBLE_EQ(result.time.si(), 1 + 2 * 6 + 2);  // stage 1 is never idle
  // Every pipeline pays static power until then, nobody works more.
  EXPECT_NEAR(result.energy.si(), 12 * (plan().dynamic_energy.si() + 2 * 50 * 15), 1e-9);
}

TEST(Emulation, BlockedPowerFollowsTheClockAndParking) {
  const auto by_clock = [](Clock clock) { return Watts(clock.mhz / 10.0); };
  const auto without = emulate(plan(), {.static_power = by_clock}).value();
  // Stage 0 waits 2 s before B0 and 1 s before B1; stage 1 one second at the begin and two at the end.
  EXPECT_NEAR(without.waiting_energy.si(), 12 * (120 * 2 + 141 * 1 + 120 * 1 + 141 * 2), 1e-9);
  const auto parked =
      emulate(plan(), {.switch_latency = Seconds(0.0), .static_power = by_clock, .parked = Clock{200}}).value();
  EXPECT_NEAR(parked.waiting_energy.si(), 12 * 20 * 6, 1e-9);
  EXPECT_NEAR(parked.parking_saves.si(), (without.energy - parked.energy).si(), 1e-6);
}

TEST(Emulation, BySymmetryIsTheFullSimulation) {
  const Conditions conditions{.pipelines = 23,
                              .transfer = Seconds(0.1),
                              .switch_latency = Seconds(0.02),
                              .jitter = 0.05,
                              .jitter_streams = 4,
                              .seed = 7,
                              .stragglers = {{3, 0, 1.3}, {3, 1, 1.1}, {11, 1, 1.2}}};
  const auto grouped = emulate(plan(), conditions, true).value();
  const auto full = emulate(plan(), conditions, false).value();
  EXPECT_EQ(grouped.simulated_pipelines, 6);
  EXPECT_EQ(full.simulated_pipelines, 23);
  EXPECT_EQ(grouped.time, full.time);
  EXPECT_NEAR(grouped.energy.si(), full.energy.si(), 1e-9 * full.energy.si());
  EXPECT_EQ(grouped.clock_switches, full.clock_switches);
}

TEST(Emulation, JitterSlowsTheJobAndIsReproducible) {
  Conditions conditions{.jitter = 0.02};
  const auto first = emulate(plan(), conditions).value();
  EXPECT_GT(first.time, Seconds(9));
  EXPECT_EQ(emulate(plan(), conditions)->time, first.time);
  conditions.seed = 1;
  EXPECT_NE(emulate(plan(), conditions)->time, first.time);
  conditions.jitter = 0.04;
  EXPECT_GT(emulate(plan(), conditions)->time, Seconds(9));
}

TEST(Emulation, TimelineHoldsWhatTheEmulationSums) {
  const Conditions conditions{.pipelines = 1,
                              .transfer = Seconds(0.5),
                              .end_of_iteration = Seconds(0.3),
                              .switch_latency = Seconds(0.05),
                              .jitter = 0.02,
                              .static_power = [](Clock clock) { return Watts(clock.mhz / 10.0); },
                              .parked = Clock{210}};
  const auto sum = emulate(plan(), conditions).value();
  const auto stages = timeline(plan(), conditions).value();
  ASSERT_EQ(stages.size(), 2U);
  double joules = 0.0;
  double waiting = 0.0;
  bool parked = false;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    double now = 0.0;
    std::vector<schedule::Instruction> order;
    for (const Stretch& stretch : stages[stage]) {
      EXPECT_NEAR(stretch.start.si(), now, 1e-12);
      now += stretch.duration.si();
      joules += (stretch.working + stretch.waiting).si();
      waiting += stretch.waiting.si();
      if (stretch.instruction) order.push_back(*stretch.instruction);
      if (stretch.clock == Clock{210}) {
        EXPECT_FALSE(stretch.instruction);
        parked = true;
      }
    }
    EXPECT_NEAR(now, sum.time.si(), 1e-12);
    ASSERT_EQ(order.size(), plan().stages[stage].size());
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], plan().stages[stage][i].instruction);
  }
  EXPECT_TRUE(parked);
  EXPECT_NEAR(joules * plan().gpus_per_stage, sum.energy.si(), 1e-9 * sum.energy.si());
  EXPECT_NEAR(waiting * plan().gpus_per_stage, sum.waiting_energy.si(), 1e-9 * sum.energy.si());
}

TEST(Emulation, TimelineWaitsForAStragglerOfAnotherPipeline) {
  const auto stages = timeline(plan(), {.stragglers = {{.pipeline = 1, .stage = 1, .slowdown = 2.0}}}).value();
  const Stretch& last = stages[0].back();
  EXPECT_FALSE(last.instruction);
  EXPECT_DOUBLE_EQ((last.start + last.duration).si(), 15);  // see WaitsForTheSlowestPipeline
  EXPECT_DOUBLE_EQ(last.start.si(), 9);
}

TEST(Emulation, NamesEveryConditionThatMakesNoSense) {
  const auto result = emulate(plan(), {.transfer = Seconds(-1), .jitter = 0.5, .stragglers = {{9, 9, 0.5}}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::usage);
  EXPECT_EQ(result.error().problems.size(), 5U);
}

}  // namespace
}  // namespace kareus::emulate
