#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fake_device.hpp"

namespace kareus::profile {
namespace {

using ::testing::ElementsAre;
using testing::FakeDevice;
using ::testing::HasSubstr;
using testing::same;
using testing::TemporaryPath;

const double kNan = std::numeric_limits<double>::quiet_NaN();

struct Bench {
  TemporaryPath file;
  FakeDevice device;
  Protocol protocol;
  Store store;

  Bench() : store(std::move(*Store::open(file.path(), "bench"))) {}

  Profiler profiler() { return std::move(*Profiler::create(device, store, protocol, "family")); }
  Result<Measurement> measure(int mhz = 1410) { return profiler().measure(work(), execution(mhz), "total"); }
  std::size_t stored() const { return store.measurements("")->size(); }

  static device::Work work() { return {.name = "w", .compute = {}, .slots = {}, .communication = {}}; }
  static device::Execution execution(int mhz) {
    return {.clock = Clock{mhz}, .config = schedule::PartitionConfig{SmCount{9}, "rope_0"}};
  }
};

TEST(Profiler, FollowsTheProtocol) {
  Bench bench;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().to_string();
  EXPECT_THAT(bench.device.log,
              ElementsAre("now", "lock 1410", "idle 2", "run w x10", "run w x100", "idle 5", "run w x10", "temperature",
                          "energy", "run w x2500", "energy", "now", "unlock"));
  EXPECT_EQ(measured->status, Status::ok);
  EXPECT_EQ(measured->repetitions, 2500);
  EXPECT_NEAR(measured->time.si(), 0.002, 1e-15);
  EXPECT_NEAR(measured->energy.si(), 0.6, 1e-9);
  EXPECT_EQ(measured->temperature, Celsius{31.0});
  EXPECT_NEAR(measured->window.si(), 5.0, 1e-12);
  EXPECT_NEAR(measured->spent.si(), 2.0 + 0.02 + 0.2 + 5.0 + 0.02 + 5.0, 1e-9);
  EXPECT_EQ(measured->found_by, "total");
  EXPECT_TRUE(same(*measured, bench.store.measurements("w")->front()));
}

TEST(Profiler, FollowsAnotherProtocol) {
  Bench bench;
  bench.protocol = {.settle = Seconds(0.5),
                    .calibration_warmup = 0,
                    .calibration_repetitions = 7,
                    .cooldown = Seconds(1.25),
                    .warmup = 3,
                    .window = Seconds(1.001),
                    .static_power_window = Seconds(9),
                    .adaptive = {}};
  ASSERT_TRUE(bench.measure(1380));
  EXPECT_THAT(bench.device.log, ElementsAre("now", "lock 1380", "idle 0.5", "run w x7", "idle 1.25", "run w x3",
                                            "temperature", "energy", "run w x501", "energy", "now", "unlock"));
}

TEST(Profiler, WhatIsStoredIsNotMeasuredAgain) {
  Bench bench;
  const auto first = bench.measure();
  ASSERT_TRUE(first);
  FakeDevice untouched;
  auto profiler = Profiler::create(untouched, bench.store, bench.protocol, "another family");
  ASSERT_TRUE(profiler);
  const auto again = profiler->measure(Bench::work(), Bench::execution(1410), "uncertainty");
  ASSERT_TRUE(again);
  EXPECT_TRUE(same(*first, *again));
  EXPECT_TRUE(untouched.log.empty());
  EXPECT_EQ(bench.stored(), 1U);
}

TEST(Profiler, RestoresTheDeviceOfItsFamily) {
  Bench bench;
  ASSERT_TRUE(bench.measure());
  const std::string state = bench.device.checkpoint();
  FakeDevice fresh;
  ASSERT_NE(fresh.checkpoint(), state);
  ASSERT_TRUE(Profiler::create(fresh, bench.store, bench.protocol, "family"));
  EXPECT_EQ(fresh.checkpoint(), state);
  FakeDevice other;
  ASSERT_TRUE(Profiler::create(other, bench.store, bench.protocol, "other"));
  EXPECT_TRUE(other.log.empty());
}

TEST(Profiler, AThrottledWindowIsMarked) {
  Bench bench;
  bench.device.throttles = [](long repetitions) { return repetitions > 100; };
  const auto measured = bench.measure();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->status, Status::throttled);
  EXPECT_TRUE(measured->usable());
  EXPECT_FALSE(measured->message.empty());
}

TEST(Profiler, ThrottlingWhileCalibratingDoesNotMarkTheWindow) {
  Bench bench;
  bench.device.throttles = [](long repetitions) { return repetitions <= 100; };
  EXPECT_EQ(bench.measure()->status, Status::ok);
}

/// What a device may give that is no measurement. `calls` counts those of one kind, from 0.
struct Lie {
  const char* name;
  std::function<void(FakeDevice&, bool)> tell;  ///< once, or always
  const char* message;
};

void PrintTo(const Lie& lie, std::ostream* stream) {
  *stream << lie.name;
}

class Lies : public ::testing::TestWithParam<Lie> {};

TEST_P(Lies, OnceIsTriedAgain) {
  Bench bench;
  GetParam().tell(bench.device, true);
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().to_string();
  EXPECT_EQ(measured->status, Status::ok) << measured->message;
  EXPECT_NEAR(measured->energy.si(), 0.6, 1e-9);
  EXPECT_EQ(std::count(bench.device.log.begin(), bench.device.log.end(), "lock 1410"), 2);
  EXPECT_EQ(bench.device.log.back(), "unlock");
  EXPECT_EQ(bench.stored(), 1U);
}

TEST_P(Lies, TwiceIsAFailureThatIsKept) {
  Bench bench;
  GetParam().tell(bench.device, false);
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().to_string();
  EXPECT_EQ(measured->status, Status::failed);
  EXPECT_FALSE(measured->usable());
  EXPECT_THAT(measured->message, HasSubstr(GetParam().message));
  EXPECT_EQ(measured->time, Seconds(0.0));
  EXPECT_EQ(measured->energy, Joules(0.0));
  EXPECT_GT(measured->spent, Seconds(0.0));
  EXPECT_EQ(std::count(bench.device.log.begin(), bench.device.log.end(), "lock 1410"), 2);
  EXPECT_EQ(bench.device.log.back(), "unlock");
  EXPECT_TRUE(same(*measured, bench.store.measurements("w")->front()));
  // It is not asked for again either.
  const std::size_t calls = bench.device.log.size();
  ASSERT_TRUE(bench.measure());
  EXPECT_EQ(bench.device.log.size(), calls + 1);  // the restore
}

using Hook = std::function<double(int, double)> FakeDevice::*;

/// A lie told at every call whose index leaves `remainder` when divided by `period`: once, or always.
Lie lie(const char* name, Hook hook, int period, int remainder, std::function<double(double)> value,
        const char* message) {
  return {name,
          [=](FakeDevice& device, bool once) {
            device.*hook = [=](int index, double truth) {
              return index % period == remainder && (!once || index < period) ? value(truth) : truth;
            };
          },
          message};
}

const Hook kCounter = &FakeDevice::lie_counter;
const Hook kElapsed = &FakeDevice::lie_elapsed;

// An attempt reads the counter twice and runs four times, the second of which calibrates. A bad calibration ends the
// attempt after two runs, so that one is told for all calls of that length.
INSTANTIATE_TEST_SUITE_P(
    All, Lies,
    ::testing::Values(
        lie(
            "stuck_counter", kCounter, 2, 1, [](double truth) { return truth - 1500.0; }, "did not move"),
        lie(
            "wrapped_counter", kCounter, 2, 1, [](double truth) { return truth - 4000.0; }, "went back"),
        lie(
            "counter_below_zero", kCounter, 2, 1, [](double) { return -1.0; }, "went back"),
        lie(
            "nan_counter", kCounter, 2, 0, [](double) { return kNan; }, "no finite number"),
        lie(
            "infinite_counter", kCounter, 2, 1, [](double) { return HUGE_VAL; }, "no finite number"),
        lie(
            "nan_window", kElapsed, 4, 3, [](double) { return kNan; }, "the measured window took nan s"),
        lie(
            "no_window", kElapsed, 4, 3, [](double) { return 0.0; }, "the measured window took 0 s"),
        lie(
            "negative_window", kElapsed, 4, 3, [](double truth) { return -truth; }, "the measured window took -"),
        lie(
            "nan_calibration", kElapsed, 2, 1, [](double t) { return std::abs(t - 0.2) < 1e-9 ? kNan : t; },
            "calibration took nan"),
        lie(
            "no_calibration", kElapsed, 2, 1, [](double t) { return std::abs(t - 0.2) < 1e-9 ? 0.0 : t; },
            "calibration took 0"),
        lie(
            "tiny_calibration", kElapsed, 2, 1, [](double t) { return std::abs(t - 0.2) < 1e-9 ? 1e-9 : t; },
            "one repetition took only"),
        lie(
            "nan_temperature", &FakeDevice::lie_temperature, 1, 0, [](double) { return kNan; }, "temperature is not")),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Profiler, AConfigurationThatTheDeviceRefusesFailsAtOnce) {
  for (const int call : {3, 4, 6, 9}) {
    Bench bench;
    bench.device.fail_at = call;
    bench.device.fail_code = ErrorCode::bad_input;
    const auto measured = bench.measure();
    ASSERT_TRUE(measured) << call;
    EXPECT_EQ(measured->status, Status::failed);
    EXPECT_THAT(measured->message, HasSubstr("told to fail at run"));
    EXPECT_EQ(std::count(bench.device.log.begin(), bench.device.log.end(), "lock 1410"), 1);
    EXPECT_EQ(bench.stored(), 1U);
  }
}

TEST(Profiler, AClockThatTheDeviceDoesNotListIsTheCallersError) {
  Bench bench;
  const auto measured = bench.measure(1000);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::bad_input);
  EXPECT_EQ(bench.stored(), 0U);
}

TEST(Profiler, ADeviceWhoseTimeIsBrokenIsReported) {
  for (const double bad : {kNan, -1.0}) {
    Bench bench;
    bench.device.lie_now = [=](int index, double truth) { return index == 1 ? bad : truth; };
    const auto measured = bench.measure();
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.error().code, ErrorCode::device);
    EXPECT_EQ(bench.device.log.back(), "unlock");
  }
}

TEST(Profiler, StaticPowerBlocksForItsWindow) {
  Bench bench;
  auto profiler = bench.profiler();
  const auto power = profiler.static_power(Clock{1410});
  ASSERT_TRUE(power) << power.error().to_string();
  EXPECT_NEAR(power->si(), 80.0, 1e-9);
  EXPECT_THAT(bench.device.log, ElementsAre("now", "lock 1410", "idle 2", "temperature", "now", "energy", "block 60",
                                            "energy", "now", "now", "unlock"));
  const auto stored = bench.store.measurements("static_power");
  ASSERT_EQ(stored->size(), 1U);
  EXPECT_NEAR(stored->front().energy.si(), 4800.0, 1e-6);
  EXPECT_FALSE(stored->front().execution.config);
  EXPECT_EQ(*profiler.static_power(Clock{1410}), *power);
  EXPECT_EQ(bench.stored(), 1U);
  ASSERT_TRUE(profiler.static_power(Clock{1380}));
  EXPECT_EQ(bench.stored(), 2U);
}

TEST(Profiler, StaticPowerThatCannotBeMeasuredIsNotKept) {
  Bench bench;
  bench.device.lie_counter = [](int, double) { return 7.0; };
  const auto power = bench.profiler().static_power(Clock{1410});
  ASSERT_FALSE(power);
  EXPECT_EQ(power.error().code, ErrorCode::device);
  EXPECT_THAT(power.error().to_string(), HasSubstr("did not move"));
  EXPECT_EQ(bench.stored(), 0U);
  EXPECT_EQ(bench.device.log.back(), "unlock");
  bench.device.lie_counter = nullptr;
  EXPECT_TRUE(bench.profiler().static_power(Clock{1410}));
}

TEST(Profiler, ProtocolsWithoutMeaningAreRefusedWithEveryProblem) {
  Bench bench;
  bench.protocol = {.settle = Seconds(-1),
                    .calibration_warmup = -1,
                    .calibration_repetitions = 0,
                    .cooldown = Seconds(kNan),
                    .warmup = 0,
                    .window = Seconds(0.05),
                    .static_power_window = Seconds(HUGE_VAL),
                    .adaptive = {}};
  const auto profiler = Profiler::create(bench.device, bench.store, bench.protocol, "family");
  ASSERT_FALSE(profiler);
  EXPECT_EQ(profiler.error().code, ErrorCode::bad_input);
  EXPECT_EQ(profiler.error().problems.size(), 6U) << profiler.error().to_string();
}

/// Measures three things on one device, as a run does. Returns the first error.
Result<void> small_run(FakeDevice& device, Store& store, const Protocol& protocol) {
  auto profiler = Profiler::create(device, store, protocol, "family");
  if (!profiler) return tl::unexpected(profiler.error());
  KAREUS_RETURN_IF_ERROR(profiler->static_power(Clock{1410}));
  for (const int mhz : {1410, 1380}) {
    KAREUS_RETURN_IF_ERROR(profiler->measure(Bench::work(), Bench::execution(mhz), ""));
  }
  return profiler->finish();
}

/// Whether a clock was locked and never unlocked after it.
bool left_locked(const FakeDevice& device) {
  const auto last = std::find_if(device.log.rbegin(), device.log.rend(),
                                 [](const auto& call) { return call.starts_with("lock") || call == "unlock"; });
  return last != device.log.rend() && *last != "unlock";
}

class Faults : public ::testing::TestWithParam<const char*> {};

TEST_P(Faults, AFaultAtAnyCallLosesAndDoublesNothing) {
  const Protocol protocol = *parse_protocol(GetParam());
  std::vector<Measurement> clean;
  {
    Bench bench;
    ASSERT_TRUE(small_run(bench.device, bench.store, protocol));
    clean = *bench.store.measurements("");
  }
  ASSERT_EQ(clean.size(), 3U);
  int faults = 0;
  for (int call = 0;; ++call, ++faults) {
    ASSERT_LT(call, 1000);
    TemporaryPath file;
    std::size_t kept = 0;
    {
      FakeDevice device;
      device.fail_at = call;
      auto store = Store::open(file.path(), "bench");
      ASSERT_TRUE(store);
      const auto result = small_run(device, *store, protocol);
      if (result) break;  // the run has no such call
      EXPECT_EQ(result.error().code, ErrorCode::device);
      EXPECT_THAT(result.error().to_string(), HasSubstr("told to fail"));
      // Whatever failed, the clock is not left locked.
      EXPECT_FALSE(left_locked(device)) << call;
      kept = store->measurements("")->size();
    }
    FakeDevice restarted;
    auto store = Store::open(file.path(), "bench");
    ASSERT_TRUE(store) << store.error().to_string();
    ASSERT_EQ(store->measurements("")->size(), kept);
    const auto result = small_run(restarted, *store, protocol);
    ASSERT_TRUE(result) << result.error().to_string();
    const auto all = store->measurements("");
    ASSERT_EQ(all->size(), clean.size()) << "fault at call " << call;
    for (std::size_t i = 0; i < clean.size(); ++i) EXPECT_TRUE(same((*all)[i], clean[i])) << call << " " << i;
  }
  EXPECT_GE(faults, 37);
}

INSTANTIATE_TEST_SUITE_P(Profiler, Faults, ::testing::Values("published", "adaptive"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace kareus::profile
