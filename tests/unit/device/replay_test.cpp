#include <algorithm>

#include "device/replay/replay_device.hpp"
#include "device_support.hpp"

namespace kareus::device {
namespace {

using namespace testing;

constexpr const char* kCsv =
    "work,clock_mhz,sm_count,launch_slot,time_s,energy_j\n"
    "fwd_attn,1410,6,norm_0,0.0027,0.926\n"
    "fwd_attn,1410,9,norm_0,0.00273,0.93\n"
    "fwd_attn,1200,6,norm_0,0.00305,0.707\r\n"
    "\n"
    "lm_head,1410,,,0.01,3.5\n";

std::unique_ptr<Device> replay() {
  auto table = parse_replay_table(kCsv, "sweep.csv");
  if (!table) throw std::runtime_error(table.error().to_string());
  return make_replay_device(std::move(*table), a100().info(), Watts(85.0));
}

Work named(std::string name) {
  Work work;
  work.name = std::move(name);
  return work;
}

TEST(ReplayTable, ReadsRowsInAnyColumnOrder) {
  const auto table =
      parse_replay_table("energy_j,note,time_s,launch_slot,sm_count,clock_mhz,work\n2,x,1,none,3,900,w", "t");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 1U);
  EXPECT_EQ(table->rows[0].clock.mhz, 900);
  EXPECT_EQ(table->rows[0].config->sm_count.value, 3);
  EXPECT_EQ(table->rows[0].energy.si(), 2.0);
  EXPECT_FALSE(parse_replay_table(kCsv, "t")->rows.back().config.has_value());
}

TEST(ReplayTable, ReportsAllProblemsWithTheirLines) {
  const auto table = parse_replay_table(
      "work,clock_mhz,sm_count,launch_slot,time_s,energy_j\n"
      "a,1410,3,norm_0,0.1,1\n"
      "a,1410,3,norm_0,0.2,1\n"
      "a,14x0,3,norm_0,0.1,1\n"
      "a,1410,4,norm_0,nan,1\n"
      "a,1410,5,norm_0,-0.1,inf\n"
      "a,1410,5,,0.1,1\n"
      "a,1410,0,norm_0,0.1,1\n"
      ",1410,7,norm_0,0.1,1\n"
      "a,1410\n",
      "t.csv");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::bad_input);
  EXPECT_EQ(table.error().problems.size(), 9U);
  EXPECT_TRUE(mentions(table.error(), "t.csv:3: measures the same configuration as line 2"));
  EXPECT_TRUE(mentions(table.error(), "t.csv:4: clock_mhz '14x0'"));
  EXPECT_TRUE(mentions(table.error(), "t.csv:5: time_s 'nan'"));
  EXPECT_TRUE(mentions(table.error(), "t.csv:6: time_s '-0.1'"));
  EXPECT_TRUE(mentions(table.error(), "t.csv:6: energy_j 'inf'"));
  EXPECT_TRUE(mentions(table.error(), "t.csv:7: sm_count and launch_slot"));
  EXPECT_TRUE(mentions(table.error(), "t.csv:10: has 2 fields"));
}

TEST(ReplayTable, ReportsMissingColumnsAndEmptyFiles) {
  const auto table = parse_replay_table("work,clock,sm_count,launch_slot,time,energy_j\n", "t");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().problems.size(), 2U);
  EXPECT_TRUE(mentions(table.error(), "column 'clock_mhz' is missing"));
  EXPECT_FALSE(parse_replay_table("", "t"));
  EXPECT_FALSE(parse_replay_table("\n\n", "t"));
  EXPECT_FALSE(parse_replay_table("work,clock_mhz,sm_count,launch_slot,time_s,energy_j\n", "t"));
  EXPECT_FALSE(parse_replay_table("work,work,clock_mhz,sm_count,launch_slot,time_s,energy_j\n", "t"));
  EXPECT_FALSE(read_replay_table("no-such-file.csv"));
}

TEST(ReplayDevice, AnswersFromTheTable) {
  const auto device = replay();
  ASSERT_TRUE(device->lock_clock(Clock{1410}));
  const auto result = device->run(named("fwd_attn"), at(1410, 6, "norm_0"), 10000);
  ASSERT_TRUE(result);
  EXPECT_DOUBLE_EQ(result->elapsed.si(), 27.0);
  EXPECT_NEAR(device->energy_counter()->si(), 9260.0, 35.0);
  EXPECT_DOUBLE_EQ(device->now()->si(), 27.0);
  EXPECT_TRUE(device->run(named("lm_head"), at(1410), 1));
}

TEST(ReplayDevice, WaitsAtStaticPower) {
  const auto device = replay();
  ASSERT_TRUE(device->block(Seconds(60.0)));
  ASSERT_TRUE(device->idle(Seconds(0.05)));
  EXPECT_NEAR(device->energy_counter()->si(), 60.0 * 85.0, 1e-6);
}

TEST(ReplayDevice, UnknownConfigurationNamesTheNearest) {
  const auto device = replay();
  const auto other_sms = device->run(named("fwd_attn"), at(1410, 20, "norm_0"), 1);
  ASSERT_FALSE(other_sms);
  EXPECT_EQ(other_sms.error().code, ErrorCode::infeasible);
  EXPECT_TRUE(mentions(other_sms.error(), "the nearest is at 1410 MHz, 9 SMs, launch slot norm_0"));
  const auto other_clock = device->run(named("fwd_attn"), at(1230, 6, "norm_0"), 1);
  EXPECT_TRUE(mentions(other_clock.error(), "1200 MHz, 6 SMs"));
  const auto other_work = device->run(named("fwd_atn"), at(1410, 6, "norm_0"), 1);
  EXPECT_TRUE(mentions(other_work.error(), "did you mean 'fwd_attn'?"));
  EXPECT_EQ(device->now()->si(), 0.0);
}

TEST(ReplayDevice, CheckpointContinues) {
  const auto first = replay();
  ASSERT_TRUE(first->run(named("lm_head"), at(1410), 123));
  const auto second = replay();
  ASSERT_TRUE(second->restore(first->checkpoint()));
  ASSERT_TRUE(first->idle(Seconds(1.0 / 3.0)) && second->idle(Seconds(1.0 / 3.0)));
  EXPECT_EQ(*first->energy_counter(), *second->energy_counter());
  EXPECT_EQ(first->checkpoint(), second->checkpoint());
  EXPECT_FALSE(second->restore("{\"format\":\"kareus-replay-device\",\"version\":1,\"time_s\":-1}"));
  EXPECT_FALSE(second->restore("nonsense"));
  EXPECT_FALSE(second->restore(make_sim_device(a100(), 1)->checkpoint()));
}

TEST(ReplayDevice, RejectsUnlistedClocks) {
  const auto device = replay();
  EXPECT_TRUE(device->lock_clock(Clock{1200}));
  EXPECT_FALSE(device->lock_clock(Clock{1234}));
  EXPECT_FALSE(device->run(named("lm_head"), at(1410), 0));
}

}  // namespace
}  // namespace kareus::device
