#include "report/key_numbers.hpp"

#include <gtest/gtest.h>

namespace kareus::report {
namespace {

using schedule::FrontierFile;

FrontierFile file_of(std::string method, std::vector<std::pair<double, double>> points, int gpus = 1) {
  FrontierFile file;
  file.provenance.method = std::move(method);
  file.gpus_per_stage = gpus;
  for (const auto& [time, energy] : points) {
    auto& point = file.points.emplace_back();
    point.time = Seconds(time);
    point.energy = Joules(energy);
  }
  return file;
}

TEST(KeyNumbers, AreThoseWorkedOutByHand) {
  ReportInput input;
  input.kareus = file_of("kareus", {{4.5, 95}, {5.0, 80}, {5.5, 72}, {6.0, 66}});
  input.baselines = {file_of("megatron", {{5.0, 110}}), file_of("megatron-perseus", {{5.0, 100}, {6.0, 80}})};
  const KeyNumbers numbers = key_numbers(input);
  ASSERT_TRUE(numbers.fastest && numbers.equal_time && numbers.equal_energy);
  EXPECT_EQ(numbers.fastest->point, 0U);
  EXPECT_NEAR(numbers.fastest->time_change, -0.10, 1e-12);
  EXPECT_NEAR(numbers.fastest->energy_change, 95.0 / 110 - 1, 1e-12);
  EXPECT_EQ(numbers.equal_time->point, 1U);  // exactly as fast counts
  EXPECT_EQ(numbers.equal_time->baseline_point, 0U);
  EXPECT_NEAR(numbers.equal_time->saved, 0.20, 1e-12);
  EXPECT_EQ(numbers.equal_energy->point, 1U);  // exactly as cheap counts
  EXPECT_EQ(numbers.equal_energy->baseline_point, 1U);
  EXPECT_NEAR(numbers.equal_energy->saved, 1.0 / 6, 1e-12);
}

TEST(KeyNumbers, CompareWholeJobs) {
  ReportInput input;
  input.kareus = file_of("kareus", {{4.0, 50}}, 2);
  input.baselines = {file_of("megatron", {{5.0, 110}}, 1), file_of("megatron-perseus", {{5.0, 125}}, 1)};
  const KeyNumbers numbers = key_numbers(input);
  ASSERT_TRUE(numbers.fastest && numbers.equal_time);
  EXPECT_NEAR(numbers.fastest->energy_change, 100.0 / 110 - 1, 1e-12);
  EXPECT_NEAR(numbers.equal_time->saved, 0.2, 1e-12);
}

TEST(KeyNumbers, BaselinesAreFoundByMethodInAnyOrder) {
  ReportInput input;
  input.kareus = file_of("kareus", {{4.0, 50}});
  input.baselines = {file_of("nanobatching-perseus", {{1.0, 1}}), file_of("megatron-perseus", {{5.0, 100}}),
                     file_of("megatron", {{5.0, 200}})};
  const KeyNumbers numbers = key_numbers(input);
  ASSERT_TRUE(numbers.fastest && numbers.equal_time);
  EXPECT_NEAR(numbers.fastest->energy_change, -0.75, 1e-12);
  EXPECT_NEAR(numbers.equal_time->saved, 0.5, 1e-12);
}

TEST(KeyNumbers, AreAbsentWhereNothingQualifies) {
  ReportInput input;
  input.kareus = file_of("kareus", {{4.0, 50}, {5.0, 40}});
  EXPECT_FALSE(key_numbers(input).fastest);
  EXPECT_FALSE(key_numbers(input).equal_time);
  input.baselines = {file_of("megatron-perseus", {{3.0, 30}}), file_of("megatron", {})};
  EXPECT_FALSE(key_numbers(input).fastest);       // a baseline without points
  EXPECT_FALSE(key_numbers(input).equal_time);    // no point is that fast
  EXPECT_FALSE(key_numbers(input).equal_energy);  // no point uses so little
  input.kareus.points.clear();
  input.baselines = {file_of("megatron", {{3.0, 30}})};
  EXPECT_FALSE(key_numbers(input).fastest);
}

}  // namespace
}  // namespace kareus::report
