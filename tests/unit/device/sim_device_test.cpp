#include "device/sim/sim_device.hpp"

#include <cmath>
#include <numeric>

#include "device/sim/power.hpp"
#include "device_support.hpp"

namespace kareus::device {
namespace {

using namespace testing;

constexpr long kMany = 2000;

TEST(SimDevice, CounterMovesInStepsOfItsPeriod) {
  const auto device = make_sim_device(quiet_a100(), 1);
  const double start = device->energy_counter()->si();
  ASSERT_TRUE(device->idle(Seconds(0.05)));
  EXPECT_EQ(device->energy_counter()->si(), start);
  ASSERT_TRUE(device->idle(Seconds(0.06)));
  const double step = device->energy_counter()->si();
  EXPECT_NEAR(step - start, 0.1 * 51.7, 0.2);  // an idle A100 draws about 52 W
  ASSERT_TRUE(device->idle(Seconds(0.08)));
  EXPECT_EQ(device->energy_counter()->si(), step);
  ASSERT_TRUE(device->idle(Seconds(0.02)));
  EXPECT_GT(device->energy_counter()->si(), step);
}

TEST(SimDevice, IdleHoldsTheTemperature) {
  const auto device = make_sim_device(quiet_a100(), 1);
  const double before = device->temperature()->degrees;
  ASSERT_TRUE(device->idle(Seconds(1000.0)));
  EXPECT_EQ(device->temperature()->degrees, before);
  EXPECT_EQ(before, std::floor(before));
}

TEST(SimDevice, BlockedPowerFollowsTheClock) {
  const auto device = make_sim_device(quiet_a100(), 1);
  const auto power_at = [&](int mhz) {
    EXPECT_TRUE(device->lock_clock(Clock{mhz}));
    EXPECT_TRUE(device->block(Seconds(200.0)));
    const double energy = device->energy_counter()->si();
    const double time = device->now()->si();
    EXPECT_TRUE(device->block(Seconds(60.0)));
    EXPECT_NEAR(device->now()->si() - time, 60.0, 1e-9);
    return (device->energy_counter()->si() - energy) / 60.0;
  };
  EXPECT_NEAR(power_at(1410), 85.0, 3.0);
  EXPECT_NEAR(power_at(1200), 70.0, 3.0);
  EXPECT_LT(power_at(900), power_at(1200));
}

TEST(SimDevice, TraceIsOneOfTheExecutionsThatARunRepeats) {
  const auto device = make_sim_device(quiet_a100(), 1);
  const Work work = attention_partition();
  const Execution execution = at(1410, 6, "norm_0");
  ASSERT_TRUE(device->run(work, execution, 400'000));  // until it is as warm as it gets
  const double before = device->energy_counter()->si();
  const auto run = device->run(work, execution, 20 * kMany);
  const double joules = device->energy_counter()->si() - before;
  const double now = device->now()->si();
  const auto trace = device->trace(work, execution);
  ASSERT_TRUE(trace);
  EXPECT_EQ(device->now()->si(), now);
  double end = 0.0;
  double traced = 0.0;
  std::size_t ran = 0;
  bool overlapped = false;
  for (const TraceInterval& one : *trace) {
    EXPECT_NEAR(one.start.si(), end, 1e-12);
    end += one.duration.si();
    traced += (one.power * one.duration).si();
    if (one.compute) ran = std::max(ran, *one.compute + 1);
    EXPECT_EQ(one.compute_sms, one.compute ? 108 - one.communication_sms : 0);
    overlapped = overlapped || (one.communication_sms == 6 && one.compute);
  }
  EXPECT_TRUE(overlapped);
  EXPECT_EQ(ran, work.compute.size());
  EXPECT_NEAR(end * 20 * kMany, run->elapsed.si(), 1e-3 * run->elapsed.si());
  EXPECT_NEAR(traced * 20 * kMany, joules, 5e-3 * joules);
  EXPECT_FALSE(device->trace(work, at(1, 6, "norm_0")));
}

TEST(SimDevice, RunHeatsTheDieAndSpendsMoreThanStaticEnergy) {
  const auto device = make_sim_device(quiet_a100(), 1);
  const Work work = attention_partition();
  const double cold = device->temperature()->degrees;
  const double energy = device->energy_counter()->si();
  const auto result = device->run(work, at(1410, 6, "norm_0"), kMany * 10);
  ASSERT_TRUE(result);
  EXPECT_GT(device->temperature()->degrees, cold + 5.0);
  const double spent = device->energy_counter()->si() - energy;
  EXPECT_GT(spent, 80.0 * result->elapsed.si());
  EXPECT_LT(spent, a100().power.cap.si() * result->elapsed.si());
}

TEST(SimDevice, RunMatchesTheSimulation) {
  const auto device = make_sim_device(uncapped_a100(), 1);
  const Work work = attention_partition();
  ASSERT_TRUE(device->lock_clock(Clock{1200}));
  const double start = device->now()->si();
  const auto result = device->run(work, at(1200, 6, "norm_0"), kMany);
  ASSERT_TRUE(result);
  const double once = simulated(uncapped_a100(), work, at(1200, 6, "norm_0")).time.si();
  EXPECT_NEAR(result->elapsed.si() / (kMany * once), 1.0, 1e-12);
  EXPECT_NEAR(device->now()->si() - start, result->elapsed.si(), 1e-9);
}

TEST(SimDevice, RunLocksTheClockOfTheExecution) {
  const auto device = make_sim_device(quiet_a100(), 1);
  const double start = device->now()->si();
  const auto result = device->run(attention_partition(), at(1200, 6, "norm_0"), 1);
  ASSERT_TRUE(result);
  EXPECT_NEAR(device->now()->si() - start - result->elapsed.si(), a100().clock_settle.si(), 1e-12);
  const double locked = device->now()->si();
  ASSERT_TRUE(device->lock_clock(Clock{1200}));
  EXPECT_EQ(device->now()->si(), locked);
}

TEST(SimDevice, BindingCapIsReported) {
  DeviceDescription capped = quiet_a100();
  capped.power.cap = Watts(250.0);
  const auto free = make_sim_device(uncapped_a100(), 1);
  const auto bound = make_sim_device(capped, 1);
  const Work work = attention_partition();
  const auto free_run = free->run(work, at(1410, 6, "norm_0"), kMany);
  const auto bound_run = bound->run(work, at(1410, 6, "norm_0"), kMany);
  ASSERT_TRUE(free_run && bound_run);
  EXPECT_FALSE(free_run->throttled);
  EXPECT_TRUE(bound_run->throttled);
  EXPECT_GT(bound_run->elapsed, free_run->elapsed);
}

TEST(SimDevice, EqualSeedsAnswerEquallyAndOthersDoNot) {
  const Work work = attention_partition();
  const auto elapsed = [&](std::uint64_t seed) {
    const auto device = make_sim_device(a100(), seed);
    std::vector<double> values;
    for (int i = 0; i < 5; ++i) {
      values.push_back(device->run(work, at(1410, 6, "norm_0"), kMany)->elapsed.si());
      values.push_back(device->energy_counter()->si());
    }
    return values;
  };
  EXPECT_EQ(elapsed(7), elapsed(7));
  EXPECT_NE(elapsed(7), elapsed(8));
}

TEST(SimDevice, NoiseHasTheDescribedSpread) {
  const auto device = make_sim_device(a100(), 3);
  const Work work = only(linear("gemm", 4096, 4096, 4096));
  std::vector<double> times;
  for (int i = 0; i < 2000; ++i) times.push_back(device->run(work, at(1200), 10)->elapsed.si());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / 2000.0;
  double variance = 0.0;
  for (const double time : times) variance += (time / mean - 1.0) * (time / mean - 1.0) / 1999.0;
  EXPECT_NEAR(std::sqrt(variance), a100().noise.time_cv, 0.1 * a100().noise.time_cv);
}

TEST(SimDevice, CheckpointContinuesBitEqual) {
  const Work work = attention_partition();
  const auto first = make_sim_device(a100(), 5);
  ASSERT_TRUE(first->run(work, at(1320, 9, "linear_0"), 777));
  ASSERT_TRUE(first->idle(Seconds(0.123)));
  const auto second = make_sim_device(a100(), 5);
  ASSERT_TRUE(second->restore(first->checkpoint()));
  EXPECT_EQ(first->checkpoint(), second->checkpoint());
  for (int i = 0; i < 4; ++i) {
    const auto a = first->run(work, at(1320 - 30 * i, 3 + i, "norm_0"), 500);
    const auto b = second->run(work, at(1320 - 30 * i, 3 + i, "norm_0"), 500);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->elapsed, b->elapsed);
    ASSERT_TRUE(first->block(Seconds(0.7)) && second->block(Seconds(0.7)));
    EXPECT_EQ(*first->energy_counter(), *second->energy_counter());
    EXPECT_EQ(*first->now(), *second->now());
    EXPECT_EQ(first->checkpoint(), second->checkpoint());
  }
}

TEST(SimDevice, RestoreRejectsWhatIsNotItsCheckpoint) {
  const auto device = make_sim_device(a100(), 5);
  const std::string good = device->checkpoint();
  for (const std::string& bad :
       {std::string(), std::string("{}"), good.substr(0, good.size() - 3), "[" + good + "]",
        make_sim_device(a100(), 6)->checkpoint(), make_sim_device(description_of("a40"), 5)->checkpoint()}) {
    const auto restored = device->restore(bad);
    ASSERT_FALSE(restored) << bad;
    EXPECT_EQ(restored.error().code, ErrorCode::bad_input);
    EXPECT_EQ(device->checkpoint(), good);
  }
}

TEST(SimDevice, WorksAreToldApartByContent) {
  const auto device = make_sim_device(quiet_a100(), 1);
  Work work = only(linear("gemm", 4096, 4096, 4096));
  const auto small = device->run(work, at(1200), 10);
  work.compute[0] = linear("gemm", 8192, 4096, 4096);
  const auto large = device->run(work, at(1200), 10);
  ASSERT_TRUE(small && large);
  EXPECT_GT(large->elapsed.si(), 1.8 * small->elapsed.si());
}

TEST(SimDevice, RejectsBadRequests) {
  const auto device = make_sim_device(a100(), 1);
  const auto lock = device->lock_clock(Clock{1400});
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ErrorCode::bad_input);
  EXPECT_TRUE(mentions(lock.error(), "1395 MHz"));
  const Work work = attention_partition();
  EXPECT_FALSE(device->run(work, at(1410, 6, "norm_0"), 0));
  EXPECT_FALSE(device->run(work, at(1410, 6, "nowhere"), 1));
  EXPECT_FALSE(device->idle(Seconds(-1.0)));
  EXPECT_FALSE(device->block(Seconds(std::nan(""))));
  EXPECT_EQ(device->now()->si(), 0.0);
}

TEST(SimDevice, AThousandYearsTakeNoTime) {
  const auto device = make_sim_device(a100(), 1);
  ASSERT_TRUE(device->run(attention_partition(), at(1410, 6, "norm_0"), 1'000'000'000'000));
  EXPECT_TRUE(std::isfinite(device->energy_counter()->si()));
}

}  // namespace
}  // namespace kareus::device
