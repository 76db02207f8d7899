#include "kareus/calibrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "calibrate/least_squares.hpp"
#include "calibrate/values.hpp"

namespace kareus::calibrate {
namespace {

const std::filesystem::path kData = std::filesystem::path(KAREUS_SOURCE_DIR) / "data" / "calibration";

device::DeviceDescription start_of(const std::string& name) {
  return device::read_description(kData / name / "start.toml").value();
}

TEST(LeastSquares, FindsAKnownMinimum) {
  const Fit fit = least_squares(
      {{.start = 1.0, .low = 0.01, .high = 100.0}, {.start = 1.0, .low = 0.01, .high = 100.0}},
      [](const std::vector<double>& x) {
        std::vector<double> residuals;
        for (const double t : {1.0, 2.0, 3.0, 4.0}) residuals.push_back((x[0] * t + x[1]) / (3.0 * t + 2.0) - 1.0);
        return residuals;
      },
      0.01);
  EXPECT_NEAR(fit.values[0], 3.0, 1e-4);
  EXPECT_NEAR(fit.values[1], 2.0, 1e-4);
  EXPECT_LT(fit.residual, 1e-5);
}

TEST(LeastSquares, StaysWhereItIsTrustedWhenTheDataSaysNothing) {
  const Fit fit = least_squares(
      {{.start = 5.0, .low = 0.1, .high = 100.0, .trust = 0.1}},
      [](const std::vector<double>&) { return std::vector<double>(3, 0.2); }, 0.01);
  EXPECT_NEAR(fit.values[0], 5.0, 1e-6);
}

/// Measurements that a description itself predicts.
Data made_by(const device::DeviceDescription& device, Data data) {
  for (PartitionSweep& sweep : data.partitions) {
    sweep.unknown.clear();
    const auto predictions = predict(device, sweep, {}).value();
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
      sweep.rows[i].time = predictions[i].time;
      sweep.rows[i].energy = predictions[i].energy;
    }
  }
  data.collectives.clear();
  return data;
}

TEST(Calibrate, RecoversTheConstantsThatMadeTheData) {
  const auto start = start_of("a100-sxm4-40gb");
  const auto truth =
      with_values(start, {{"communication.per_sm_gbs", 7.9}, {"host.synchronisation_us", 400.0}}).value();
  const Data data = made_by(truth, read_data(kData / "a100-sxm4-40gb").value());
  const Calibration result = calibrate(start, data).value();
  EXPECT_NEAR(value_of(result.device, "communication.per_sm_gbs"), 7.9, 0.1);
  EXPECT_NEAR(value_of(result.device, "host.synchronisation_us"), 400.0, 25.0);
  for (const TableError& error : result.errors) EXPECT_LT(error.mean, 0.005) << error.table << " " << error.quantity;
}

TEST(Calibrate, PredictsHeldOutRowsAsWellAsFittedOnes) {
  const Calibration result = calibrate(start_of("a100-sxm4-40gb"), read_data(kData / "a100-sxm4-40gb").value()).value();
  int sweeps = 0;
  for (const TableError& error : result.errors) {
    if (error.table == "collectives") continue;
    ++sweeps;
    EXPECT_LT(error.mean, 0.015) << error.quantity << error.held_out;
    EXPECT_LT(error.largest, 0.05) << error.quantity << error.held_out;
  }
  EXPECT_EQ(sweeps, 4);
}

/// A profile of the first stage's instructions that a description itself predicts.
Data profiled_by(const device::DeviceDescription& device) {
  InstructionProfile profile{.name = "profile", .source = "a test", .workload = {}, .rows = {}};
  const auto path = std::filesystem::path(KAREUS_SOURCE_DIR) / "workloads" / "qwen3-1.7b-tp8-mbs8-seq4096.toml";
  profile.workload = workload::read_workload(path).value();
  for (const auto direction : {workload::Direction::forward, workload::Direction::backward}) {
    for (const int mhz : {1410, 1290, 1170, 1050, 930}) {
      profile.rows.push_back({.stage = 0, .direction = direction, .clock = Clock{mhz}, .time = {}, .energy = {}});
    }
  }
  profile.rows[2].held_out = profile.rows[6].held_out = true;
  const auto predictions = predict(device, profile).value();
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    profile.rows[i].time = predictions[i].time;
    profile.rows[i].energy = predictions[i].energy;
  }
  return {.device = device.name, .instructions = {profile}, .partitions = {}, .collectives = {}, .powers = {}};
}

TEST(Calibrate, LearnsHowWellKernelsComputeFromWholeInstructions) {
  const auto start = start_of("a100-sxm4-40gb");
  const double gemm = value_of(start, "compute.gemm_efficiency");
  const double power = value_of(start, "power.gemm_compute_w");
  const auto truth =
      with_values(start, {{"compute.gemm_efficiency", 0.9 * gemm}, {"power.gemm_compute_w", 0.8 * power}});
  const Calibration result = calibrate(start, profiled_by(*truth)).value();
  EXPECT_NEAR(value_of(result.device, "compute.gemm_efficiency") / gemm, 0.9, 0.03);
  EXPECT_LT(value_of(result.device, "power.gemm_compute_w"), 0.95 * power);
  EXPECT_EQ(result.errors.size(), 4U);
  for (const TableError& error : result.errors) EXPECT_LT(error.mean, 0.01) << error.quantity << error.held_out;
  const auto fitted = std::find_if(result.device.constants.begin(), result.device.constants.end(),
                                   [](const auto& one) { return one.name == "compute.gemm_efficiency"; });
  EXPECT_EQ(fitted->grade, device::Grade::fitted);
  EXPECT_EQ(fitted->source, "a test");
}

TEST(Calibrate, TakesInSituCostsOfTheDescriptionIntoInstructions) {
  auto device = start_of("a100-sxm4-40gb");
  const Data kernels = profiled_by(device);
  device.in_situ = {.sequential_factor = 1.25, .partition_cost = {}, .power = Watts(100)};
  const Data in_situ = profiled_by(device);
  for (std::size_t i = 0; i < kernels.instructions[0].rows.size(); ++i) {
    const InstructionRow& before = kernels.instructions[0].rows[i];
    const InstructionRow& after = in_situ.instructions[0].rows[i];
    EXPECT_NEAR(after.time / before.time, 1.25, 1e-9);
    EXPECT_NEAR((after.energy - before.energy).si(), 100 * 0.25 * before.time.si(), 1e-6);
  }
}

TEST(Calibrate, RefusesDataOfAnotherDeviceAndClocksItDoesNotHave) {
  Data data = read_data(kData / "a100-sxm4-40gb").value();
  data.device = "b200";
  data.partitions[0].rows[0].clock = Clock{1411};
  data.partitions[0].rows[1].sm_count = SmCount{108};
  const auto result = calibrate(start_of("a100-sxm4-40gb"), data);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().to_string(), ::testing::HasSubstr("measured on b200"));
  EXPECT_THAT(result.error().to_string(), ::testing::HasSubstr("1411 MHz is not a clock"));
  EXPECT_THAT(result.error().to_string(), ::testing::HasSubstr("leave compute none"));
}

TEST(ToToml, IsReadBackToTheSameDescription) {
  const auto device = start_of("a100-sxm4-40gb");
  const auto read = device::parse_description(to_toml(device, "made by a test"), "test");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(to_toml(*read, "made by a test"), to_toml(device, "made by a test"));
  EXPECT_EQ(read->constants.size(), device.constants.size());
}

}  // namespace
}  // namespace kareus::calibrate
