#include <algorithm>

#include "base/files.hpp"
#include "device_support.hpp"

namespace kareus::device {
namespace {

using namespace testing;

std::string a100_text() {
  return read_file(std::filesystem::path(KAREUS_SOURCE_DIR) / "data/calibration/a100-sxm4-40gb/start.toml").value();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the file: " + from);
  return text.replace(at, from.size(), to);
}

TEST(Description, A100HasThePublishedSearchSpace) {
  const DeviceInfo info = a100().info();
  EXPECT_EQ(info.name, "a100-sxm4-40gb");
  ASSERT_EQ(info.clocks.size(), 18U);
  EXPECT_EQ(info.clocks.front().mhz, 1410);
  EXPECT_EQ(info.clocks.back().mhz, 900);
  EXPECT_EQ(a100().supported.descending().size(), 81U);
  EXPECT_EQ(info.sm_total, 108);
  EXPECT_DOUBLE_EQ(info.rates.compute.si(), 312e12);
  EXPECT_DOUBLE_EQ(info.rates.memory.si(), 1.555e12);
  EXPECT_DOUBLE_EQ(info.rates.link.si(), 300e9);
}

TEST(Description, SmCountsDependOnTheRanks) {
  const DeviceInfo info = a100().info();
  for (const int ranks : {2, 3}) {
    const auto counts = info.sm_counts(ranks);
    ASSERT_EQ(counts.size(), 20U);
    EXPECT_EQ(counts.front().value, 1);
    EXPECT_EQ(counts.back().value, 20);
  }
  for (const int ranks : {4, 8}) {
    const auto counts = info.sm_counts(ranks);
    ASSERT_EQ(counts.size(), 10U);
    EXPECT_EQ(counts.front().value, 3);
    EXPECT_EQ(counts[1].value, 6);
    EXPECT_EQ(counts.back().value, 30);
  }
  EXPECT_TRUE(info.sm_counts(1 << 20).empty());
}

TEST(Description, EveryShippedDeviceIsReadAndSaysWhereItsConstantsComeFrom) {
  for (const std::string name : {"a100-sxm4-40gb", "a100-sxm4-80gb", "a100-pcie-80gb", "a40", "h100-sxm", "h200-sxm"}) {
    const DeviceDescription device = description_of(name);
    EXPECT_EQ(device.name, name);
    EXPECT_GT(device.constants.size(), 50U);
    for (const Constant& constant : device.constants) EXPECT_FALSE(constant.source.empty()) << constant.name;
    for (const Clock clock : device.info().clocks) EXPECT_TRUE(device.supported.contains(clock));
  }
  EXPECT_TRUE(description_of("h100-sxm").low_confidence);
  EXPECT_FALSE(a100().low_confidence);
  EXPECT_EQ(description_of("a40").info().clocks.front().mhz, 1740);
}

TEST(Description, ClockRangeRoundsDown) {
  const ClockRange range{.lowest = Clock{210}, .highest = Clock{1410}, .step_mhz = 15};
  EXPECT_EQ(range.at_most(Clock{1399}).mhz, 1395);
  EXPECT_EQ(range.at_most(Clock{1395}).mhz, 1395);
  EXPECT_EQ(range.at_most(Clock{5000}).mhz, 1410);
  EXPECT_EQ(range.at_most(Clock{-5}).mhz, 210);
  EXPECT_FALSE(range.contains(Clock{1400}));
  EXPECT_FALSE(range.contains(Clock{1425}));
}

TEST(Description, WhatMattersMostCarriesARange) {
  for (const std::string name : {"a100-sxm4-40gb", "a100-sxm4-80gb", "a100-pcie-80gb", "a40", "h100-sxm", "h200-sxm"}) {
    const DeviceDescription device = description_of(name);
    for (const std::string key : {"power.leakage_w", "power.clock_w_per_mhz", "voltage.rise", "power.limiter_ms",
                                  "communication.per_sm_gbs", "communication.memory_per_wire_byte"}) {
      const auto found = std::find_if(device.constants.begin(), device.constants.end(),
                                      [&](const Constant& constant) { return constant.name == key; });
      ASSERT_NE(found, device.constants.end()) << name << " " << key;
      ASSERT_TRUE(found->range) << name << " " << key;
      EXPECT_LE(found->range->first, found->value);
      EXPECT_GE(found->range->second, found->value);
    }
  }
}

TEST(Description, ARangeHoldsItsValueAndHasTwoEnds) {
  const std::string limiter = "value = 20.0, low = 1.0, high = 100.0";
  const auto outside = parse_description(replaced(a100_text(), limiter, "value = 20.0, low = 21.0, high = 100.0"), "x");
  ASSERT_FALSE(outside);
  EXPECT_TRUE(mentions(outside.error(), "outside of its range"));
  const auto half = parse_description(replaced(a100_text(), limiter, "value = 20.0, low = 1.0"), "x");
  ASSERT_FALSE(half);
  EXPECT_TRUE(mentions(half.error(), "high"));
}

TEST(Description, InSituCostsAreNeutralUntilLearned) {
  const auto without = parse_description(a100_text(), "x").value();
  EXPECT_EQ(without.info().in_situ.sequential_factor, 1.0);
  EXPECT_EQ(without.info().in_situ.partition_cost, Seconds(0.0));
  const auto constant = [](const char* key, const char* value) {
    return std::string(key) + " = { value = " + value + ", grade = \"fitted\", source = \"a run\" }\n";
  };
  const std::string table = "\n[in_situ]\n" + constant("sequential_factor", "1.1") +
                            constant("partition_cost_us", "200.0") + constant("power_w", "120.0");
  const auto with = parse_description(a100_text() + table, "x").value();
  EXPECT_EQ(with.info().in_situ.sequential_factor, 1.1);
  EXPECT_NEAR(with.info().in_situ.partition_cost.si(), 200e-6, 1e-12);
  EXPECT_EQ(with.info().in_situ.power, Watts(120.0));
  EXPECT_FALSE(parse_description(a100_text() + "\n[in_situ]\n" + constant("sequential_factor", "0.9"), "x"));
}

TEST(Description, ReportsAllProblemsAtOnce) {
  std::string text = a100_text();
  text = replaced(text, "value = 0.85", "value = 1.85");
  text = replaced(text, "grade = \"fitted\"", "grade = \"fited\"");
  text = replaced(text, "ramp_depth ", "ramp_dept ");
  text = replaced(text, "value = 108,", "value = 108.5,");
  const auto parsed = parse_description(text, "broken.toml");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::bad_input);
  EXPECT_TRUE(mentions(parsed.error(), "gemm_efficiency") || mentions(parsed.error(), "'value' must be"));
  EXPECT_TRUE(mentions(parsed.error(), "unknown grade 'fited'"));
  EXPECT_TRUE(mentions(parsed.error(), "did you mean 'fitted'?"));
  EXPECT_TRUE(mentions(parsed.error(), "unknown key 'ramp_dept'"));
  EXPECT_TRUE(mentions(parsed.error(), "'ramp_depth' is missing"));
  EXPECT_TRUE(mentions(parsed.error(), "whole number"));
  EXPECT_TRUE(mentions(parsed.error(), "broken.toml:"));
}

TEST(Description, RejectsValuesThatAreNotNumbers) {
  for (const char* bad : {"nan", "inf", "-inf", "\"312\"", "true"}) {
    const auto parsed = parse_description(replaced(a100_text(), "value = 312.0", std::string("value = ") + bad), "x");
    EXPECT_FALSE(parsed) << bad;
  }
}

TEST(Description, RejectsContradictions) {
  const auto error_of = [](const std::string& from, const std::string& to) {
    const auto parsed = parse_description(replaced(a100_text(), from, to), "x");
    return parsed ? std::string() : parsed.error().to_string();
  };
  EXPECT_NE(error_of("searched_lowest_mhz   = { value = 900", "searched_lowest_mhz   = { value = 903"), "");
  EXPECT_NE(error_of("supported_highest_mhz = { value = 1410", "supported_highest_mhz = { value = 1380"), "");
  EXPECT_NE(error_of("value = 24, ", "value = 108, ").find("default_sms"), std::string::npos);
  EXPECT_NE(error_of("value = 2.5,", "value = 6.0,").find("memory bandwidth"), std::string::npos);
  EXPECT_NE(error_of("max_ranks = 1024", "max_ranks = 3").find("max_ranks"), std::string::npos);
  EXPECT_NE(error_of("last = 20", "last = 0").find("last"), std::string::npos);
}

TEST(Description, UnknownDeviceNamesTheNearest) {
  const std::array<std::filesystem::path, 2> folders{std::filesystem::path("no-such-folder"),
                                                     std::filesystem::path(KAREUS_SOURCE_DIR) / "devices"};
  EXPECT_TRUE(find_description("a40", folders));
  const auto found = find_description("a100-sxm4-40g", folders);
  ASSERT_FALSE(found);
  EXPECT_TRUE(mentions(found.error(), "did you mean 'a100-sxm4-40gb'?"));
  EXPECT_FALSE(find_description("../devices/a40", folders));
  EXPECT_FALSE(find_description("", folders));
}

}  // namespace
}  // namespace kareus::device
