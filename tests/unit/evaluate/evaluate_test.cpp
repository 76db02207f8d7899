#include "kareus/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "kareus/calibrate.hpp"
#include "kareus/emulate.hpp"

namespace kareus::evaluate {
namespace {

const std::filesystem::path kRoot = KAREUS_SOURCE_DIR;

device::DeviceDescription a100() {
  return device::read_description(kRoot / "devices" / "a100-sxm4-40gb.toml").value();
}

workload::Workload small() {
  return workload::read_workload(kRoot / "workloads" / "qwen3-1.7b-tp8-mbs8-seq4096.toml").value();
}

const Exhaustive& simulated() {
  static const Exhaustive all = simulate_all(small(), a100()).value();
  return all;
}

schedule::FrontierFile plan(Method method, const device::InSitu& in_situ) {
  Exhaustive all = simulated();
  all.info.in_situ = in_situ;
  return frontier_of(method, small(), all, 10).value();
}

TEST(Methods, ChooseWhatTheirNamesSay) {
  const device::InSitu none;
  EXPECT_EQ(plan(Method::megatron, none).points.size(), 1U);
  for (const auto& stage : plan(Method::megatron_perseus, none).stages) {
    for (const auto& option : stage.forward) EXPECT_TRUE(option.schedule.sequential);
  }
  for (const auto& stage : plan(Method::nanobatching_perseus, none).stages) {
    for (const auto& option : stage.forward) {
      ASSERT_FALSE(option.schedule.sequential);
      for (const auto& [type, config] : option.schedule.partitions) EXPECT_EQ(config.sm_count.value, 24) << type;
    }
  }
  for (const auto& stage : plan(Method::nanobatching, none).stages) {
    for (const auto& option : stage.backward) EXPECT_EQ(option.schedule.clock.mhz, 1410);
  }
}

TEST(Plans, WithStaticPowerByClockAreWhatTheEmulatorCarriesOut) {
  const Exhaustive& all = simulated();
  auto stages = planner::stage_options(small(), all.parts, all.info, all.overlapped, true).value();
  const auto power = blocked_power(a100());
  const auto file = planner::iteration_frontier(std::move(stages), small(), all.overlapped.static_power, 10, {},
                                                all.overlapped.static_power_at)
                        .value();
  for (std::size_t i = 0; i < file.points.size(); ++i) {
    const auto plan = schedule::make_plan(file, i);
    const auto emulated = emulate::emulate(plan, {.pipelines = 1, .static_power = power}).value();
    EXPECT_NEAR(emulated.time / plan.time, 1.0, 1e-9);
    EXPECT_NEAR(emulated.energy / (plan.energy * plan.gpus_per_stage), 1.0, 1e-9);
    const auto as_planned = emulate::emulate(plan, {.pipelines = 1}).value();
    EXPECT_NEAR(as_planned.energy / emulated.energy, 1.0, 1e-9);
  }
}

TEST(Methods, InSituCostsSlowWhatTheyAreOf) {
  const device::InSitu none;
  const device::InSitu slow{.sequential_factor = 1.5, .partition_cost = {}, .power = Watts(100)};
  EXPECT_NEAR(plan(Method::megatron, slow).points[0].time / plan(Method::megatron, none).points[0].time, 1.5, 1e-9);
  const device::InSitu costly{.sequential_factor = 1.0, .partition_cost = Seconds(1e-3), .power = Watts(100)};
  EXPECT_GT(plan(Method::nanobatching, costly).points[0].time, plan(Method::nanobatching, none).points[0].time);
  EXPECT_EQ(plan(Method::megatron, costly).points[0].time, plan(Method::megatron, none).points[0].time);
}

TEST(Methods, KareusFallsBackToSequentialWhenPartitionsCostTooMuch) {
  const device::InSitu costly{.sequential_factor = 1.0, .partition_cost = Seconds(1.0), .power = Watts(100)};
  for (const auto& stage : plan(Method::kareus, costly).stages) {
    EXPECT_TRUE(stage.forward.front().schedule.sequential);
    EXPECT_TRUE(stage.backward.front().schedule.sequential);
  }
}

TEST(InSituCosts, AreLearnedBackFromTheRunsTheyMade) {
  const device::InSitu truth{.sequential_factor = 1.2, .partition_cost = Seconds(150e-6), .power = Watts(140)};
  EndToEnd run{.device = "a100-sxm4-40gb", .workload = small(), .source = "a test", .runs = {}};
  for (const Method method : {Method::megatron, Method::nanobatching}) {
    const auto file = plan(method, truth);
    run.runs.push_back({.method = method,
                        .time = file.points.front().time,
                        .energy = file.points.front().energy,
                        .least_energy = std::nullopt});
  }
  const auto learned = learn_in_situ(a100(), run).value();
  EXPECT_NEAR(learned[0].value, 1.2, 0.001);
  EXPECT_NEAR(learned[1].value, 150.0, 1.0);
  EXPECT_NEAR(learned[2].value, 140.0, 1.0);
  for (const device::Constant& constant : learned) {
    EXPECT_LE(constant.range->first, constant.value);
    EXPECT_GE(constant.range->second, constant.value);
  }
}

TEST(InSituCosts, CannotExplainRunsFasterThanTheirKernels) {
  EndToEnd run{.device = "a100-sxm4-40gb", .workload = small(), .source = "a test", .runs = {}};
  run.runs.push_back({.method = Method::megatron, .time = Seconds(0.1), .energy = {}, .least_energy = {}});
  run.runs.push_back({.method = Method::nanobatching, .time = Seconds(0.1), .energy = {}, .least_energy = {}});
  const auto learned = learn_in_situ(a100(), run);
  ASSERT_FALSE(learned);
  EXPECT_THAT(learned.error().to_string(), ::testing::HasSubstr("less than its kernels"));
}

}  // namespace
}  // namespace kareus::evaluate
