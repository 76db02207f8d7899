#include "report/page_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "example_report.hpp"

namespace kareus::report {
namespace {

using nlohmann::json;
using schedule::FrontierFile;
using schedule::InstructionKind;

/// Undoes the encoding of one stage's choices, by the rule that the header states.
std::vector<std::uint32_t> decode(const json& list, const std::vector<schedule::Instruction>& order) {
  std::vector<std::uint32_t> grouped;
  for (const json& entry : list) {
    const auto value = entry.get<std::int64_t>();
    if (value >= 0)
      grouped.push_back(static_cast<std::uint32_t>(value));
    else
      grouped.insert(grouped.end(), static_cast<std::size_t>(-value), grouped.back());
  }
  std::vector<std::uint32_t> choices(order.size());
  std::size_t next = 0;
  for (const InstructionKind kind : {InstructionKind::forward, InstructionKind::backward}) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i].kind == kind) choices[i] = grouped.at(next++);
    }
  }
  EXPECT_EQ(next, grouped.size());
  return choices;
}

TEST(PageData, ChoicesAndOptionsCanBeReadBack) {
  const ReportInput input = example_report({.stages = 4, .microbatches = 6, .points = 12});
  const json data = json::parse(page_data(input));
  ASSERT_EQ(data["series"].size(), 3U);
  const json& series = data["series"][0];
  const FrontierFile& file = input.kareus;
  // Interior stages are equal here, so that they share one set of options.
  EXPECT_EQ(series["option_sets"].size(), 2U);
  ASSERT_EQ(series["points"].size(), file.points.size());
  for (std::size_t p = 0; p < file.points.size(); ++p) {
    EXPECT_EQ(series["points"][p]["time_s"].get<double>(), file.points[p].time.si());
    EXPECT_EQ(series["points"][p]["energy_j"].get<double>(), file.points[p].energy.si());
    EXPECT_EQ(series["points"][p]["bound_j"].get<double>(), file.points[p].bound.si());
    for (std::size_t s = 0; s < file.stages.size(); ++s) {
      EXPECT_EQ(decode(series["points"][p]["choices"][s], file.order[s]), file.points[p].choices[s]);
    }
  }
  for (std::size_t s = 0; s < file.stages.size(); ++s) {
    const json& set = series["option_sets"][series["stage_options"][s].get<std::size_t>()]["backward"];
    const auto& options = file.stages[s].backward;
    ASSERT_EQ(set.size(), options.size());
    for (std::size_t i = 0; i < options.size(); ++i) {
      EXPECT_NEAR(set[i][0].get<double>(), options[i].time.si(), 1e-6 * options[i].time.si());
      EXPECT_EQ(set[i][2].get<int>(), options[i].schedule.clock.mhz);
      const json& launches = series["schedules"][set[i][3].get<std::size_t>()];
      EXPECT_EQ(launches[0], 0);
      ASSERT_EQ(launches[1].size(), 2U);
      EXPECT_EQ(launches[1][0][0], "bwd_attn");
      EXPECT_EQ(launches[1][0][1], options[i].schedule.partitions.at("bwd_attn").sm_count.value);
      EXPECT_EQ(launches[1][0][2], options[i].schedule.partitions.at("bwd_attn").launch_slot);
    }
  }
}

TEST(PageData, RunsOfOneChoiceAreShort) {
  ReportInput input = smallest_report();
  FrontierFile& file = input.kareus;
  file.order[0].clear();
  for (int m = 0; m < 5; ++m) {
    file.order[0].push_back({InstructionKind::forward, m});
    file.order[0].push_back({InstructionKind::backward, m});
  }
  file.stages[0].forward.resize(3, file.stages[0].forward[0]);
  file.points[0].choices[0] = {2, 0, 2, 0, 2, 0, 1, 0, 2, 0};
  const json data = json::parse(page_data(input));
  EXPECT_EQ(data["series"][0]["points"][0]["choices"][0], json({2, -2, 1, 2, 0, -4}));
  EXPECT_EQ(data["series"][0]["order"][0], json({0, -1, 1, -2, 2, -3, 3, -4, 4, -5}));
}

TEST(PageData, NumbersAreOfTheUnitsStated) {
  ReportInput input = example_report();
  input.kareus.static_power_at = {{Clock{1410}, Watts(85)}, {Clock{900}, Watts(60)}};
  const json data = json::parse(page_data(input));
  EXPECT_EQ(data["series"][0]["energy_scale"], 16.0);  // 8 GPUs of a stage, 2 pipelines
  EXPECT_EQ(data["series"][0]["waiting_w"]["1155"], 72.5);  // half way between two measured clocks
  EXPECT_EQ(data["series"][1]["waiting_w"]["1155"], 85.0);  // the same power at every clock
  const json& partition = data["partitions"][2];
  const PartitionPoint& point = input.partitions[2].points[17];
  EXPECT_EQ(partition["type"], "bwd_attn");
  const json& written = partition["points"][17];
  EXPECT_EQ(written[0], point.clock.mhz);
  EXPECT_EQ(written[1], point.config.sm_count.value);
  EXPECT_EQ(partition["slots"][written[2].get<std::size_t>()], point.config.launch_slot);
  EXPECT_NEAR(written[3].get<double>(), point.time.si(), 1e-6 * point.time.si());
  EXPECT_NEAR(written[4].get<double>(), point.energy.si(), 1e-6 * point.energy.si());
  EXPECT_NEAR(written[5].get<double>(), point.dynamic_energy.si(), 1e-6 * point.dynamic_energy.si());
  EXPECT_EQ(partition["passes"][written[6].get<std::size_t>()], point.found_by);
  const auto traced =
      static_cast<std::size_t>(std::find_if(input.partitions[2].points.begin(), input.partitions[2].points.end(),
                                            [](const PartitionPoint& one) { return !one.trace.empty(); }) -
                               input.partitions[2].points.begin());
  EXPECT_EQ(partition["traces"][0][0], traced);
  const device::TraceInterval& second = input.partitions[2].points[traced].trace[1];
  const json& interval = partition["traces"][0][1][1];
  EXPECT_NEAR(interval[0].get<double>(), second.start.si(), 1e-6 * second.start.si());
  EXPECT_NEAR(interval[1].get<double>(), second.duration.si(), 1e-6 * second.duration.si());
  EXPECT_EQ(partition["kernels"][interval[2].get<std::size_t>()], input.partitions[2].kernels[*second.compute]);
  EXPECT_EQ(interval[3], second.compute_sms);
  EXPECT_EQ(interval[4], second.communication_sms);
  EXPECT_NEAR(interval[5].get<double>(), second.power.si(), 1e-6 * second.power.si());
  EXPECT_EQ(interval[6], second.clock.mhz);
  EXPECT_EQ(written[7].get<int>(), point.on_frontier ? 1 : 0);
}

TEST(PageData, SeedsBeyondADoubleStayExact) {
  ReportInput input = smallest_report();
  input.kareus.provenance.seed = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(json::parse(page_data(input))["series"][0]["provenance"]["seed"], "18446744073709551615");
}

TEST(PageData, BrokenValuesAreDefects) {
  ReportInput outside = smallest_report();
  outside.kareus.points[0].choices[0][0] = 1;  // of one option
  EXPECT_ANY_THROW(page_data(outside));
  ReportInput infinite = smallest_report();
  infinite.kareus.points[0].energy = Joules(std::numeric_limits<double>::infinity());
  EXPECT_ANY_THROW(page_data(infinite));
  ReportInput missing = smallest_report();
  missing.kareus.points[0].choices.clear();
  EXPECT_ANY_THROW(page_data(missing));
}

}  // namespace
}  // namespace kareus::report
