#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/sim/sim_device.hpp"
#include "fake_device.hpp"
#include "kareus/device_description.hpp"
#include "profile/counter_fit.hpp"

namespace kareus::profile {
namespace {

using ::testing::ElementsAre;
using testing::FakeDevice;
using ::testing::HasSubstr;
using testing::same;
using testing::TemporaryPath;

const double kNan = std::numeric_limits<double>::quiet_NaN();

Protocol adaptive() {
  return *parse_protocol("adaptive");
}

device::Work work() {
  return {.name = "w", .compute = {}, .slots = {}, .communication = {}};
}

device::Execution execution(int mhz, int sms = 9) {
  return {.clock = Clock{mhz}, .config = schedule::PartitionConfig{SmCount{sms}, "rope_0"}};
}

struct Bench {
  TemporaryPath file;
  FakeDevice device;
  Store store;
  Bench() : store(std::move(*Store::open(file.path(), "bench"))) {}

  Profiler profiler() { return std::move(*Profiler::create(device, store, adaptive(), "family")); }
  long calls(const std::string& call) const { return std::count(device.log.begin(), device.log.end(), call); }
};

TEST(Adaptive, NamesTheProtocols) {
  EXPECT_THAT(protocol_names(), ElementsAre("adaptive", "published"));
  EXPECT_EQ(*parse_protocol("published"), Protocol{});
  EXPECT_TRUE(adaptive().adaptive);
  EXPECT_FALSE(parse_protocol("quick"));
  EXPECT_LT(adaptive().expected_time() * 3, Protocol{}.expected_time());
}

TEST(Adaptive, MeasuresAConstantDeviceInAShortWindow) {
  Bench bench;
  auto profiler = bench.profiler();
  const auto measured = profiler.measure(work(), execution(1410), "total");
  ASSERT_TRUE(measured) << measured.error().to_string();
  EXPECT_EQ(measured->status, Status::ok);
  EXPECT_NEAR(measured->time.si(), 0.002, 1e-12);
  EXPECT_NEAR(measured->energy.si(), 0.6, 1e-6);
  EXPECT_GT(measured->energy_interval, 0.0);
  EXPECT_LE(measured->energy_interval, 0.005);
  EXPECT_LT(measured->window.si(), 2.0);
  EXPECT_TRUE(same(*measured, bench.store.measurements("w")->front()));
}

TEST(Adaptive, SettlesAndLocksOnlyWhenTheClockChanges) {
  Bench bench;
  {
    auto profiler = bench.profiler();
    for (const int sms : {3, 6, 9}) ASSERT_TRUE(profiler.measure(work(), execution(1410, sms), ""));
    EXPECT_EQ(bench.calls("idle 0.5"), 1);
    ASSERT_TRUE(profiler.measure(work(), execution(1380), ""));
    EXPECT_EQ(bench.calls("idle 0.5"), 2);
    EXPECT_EQ(bench.calls("unlock"), 0);
    ASSERT_TRUE(profiler.finish());
    EXPECT_EQ(bench.calls("unlock"), 1);
  }
  EXPECT_EQ(bench.calls("unlock"), 1);
  auto next = bench.profiler();
  ASSERT_TRUE(next.measure(work(), execution(1380, 12), ""));
  EXPECT_EQ(bench.calls("idle 0.5"), 2);
}

TEST(Adaptive, CoolsDownToTheTemperatureOfTheFirstWindow) {
  Bench bench;
  auto profiler = bench.profiler();
  ASSERT_TRUE(profiler.measure(work(), execution(1410), ""));
  EXPECT_EQ(bench.calls("idle 0.25"), 0);
  bench.device.lie_temperature = [first = -1](int index, double) mutable {
    if (first < 0) first = index;
    return 36.0 - (index - first);  // 36, 35, ..., until within a degree of 31
  };
  const auto measured = profiler.measure(work(), execution(1410, 3), "");
  ASSERT_TRUE(measured);
  EXPECT_EQ(bench.calls("idle 0.25"), 4);
  EXPECT_EQ(measured->temperature, Celsius{32.0});
}

TEST(Adaptive, ACooldownHasAnEnd) {
  Bench bench;
  auto profiler = bench.profiler();
  ASSERT_TRUE(profiler.measure(work(), execution(1410), ""));
  bench.device.lie_temperature = [](int, double) { return 90.0; };
  ASSERT_TRUE(profiler.measure(work(), execution(1410, 3), ""));
  EXPECT_EQ(bench.calls("idle 0.25"), 80);
}

TEST(Adaptive, WarmsUpUntilWorkMakesTheDeviceNoWarmer) {
  Bench bench;
  bench.device.lie_temperature = [](int index, double) { return std::min(30.0 + 8.0 * index, 60.0); };
  auto profiler = bench.profiler();
  const auto measured = profiler.measure(work(), execution(1410), "");
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->temperature, Celsius{60.0});
  EXPECT_EQ(bench.calls("run w x2500"), 5);
}

TEST(Adaptive, CutsTheWindowOfAHopelessConfigurationShort) {
  Bench bench;
  auto profiler = bench.profiler();
  const auto full = profiler.measure(work(), execution(1410, 3), "");
  ASSERT_TRUE(full);
  double asked = 0;
  const auto cut = profiler.measure(work(), execution(1410, 6), "", [&](Seconds time, Joules least) {
    asked = least.si();
    return time > Seconds(0.0019);
  });
  ASSERT_TRUE(cut) << cut.error().to_string();
  EXPECT_EQ(cut->status, Status::censored);
  EXPECT_FALSE(cut->usable());
  EXPECT_LT(cut->window, full->window);
  EXPECT_NEAR(cut->energy.si(), asked, 1e-12);
  EXPECT_LT(cut->energy, full->energy);
  EXPECT_TRUE(same(*cut, *bench.store.find("w", execution(1410, 6)).value()));
}

TEST(Adaptive, WhatIsNoMeasurementIsKeptAsFailed) {
  struct Case {
    std::function<double(int, double)> FakeDevice::*lie;
    std::function<double(int, double)> tell;
    const char* message;
  };
  const Case cases[] = {
      {&FakeDevice::lie_counter, [](int, double) { return 7.0; }, "did not move"},
      {&FakeDevice::lie_counter, [](int, double) { return kNan; }, "no finite number"},
      {&FakeDevice::lie_counter, [](int index, double) { return 1e6 - index; }, "went back"},
      {&FakeDevice::lie_temperature, [](int, double) { return kNan; }, "temperature is not"},
      {&FakeDevice::lie_elapsed, [](int, double) { return 0.0; }, "calibration took 0"},
      {&FakeDevice::lie_elapsed, [](int, double) { return 1e-12; }, "one repetition took only"},
      {&FakeDevice::lie_elapsed, [](int index, double t) { return index % 20 > 10 ? kNan : t; }, "took nan"}};
  for (const Case& one : cases) {
    Bench bench;
    bench.device.*one.lie = one.tell;
    const auto measured = bench.profiler().measure(work(), execution(1410), "");
    ASSERT_TRUE(measured) << one.message;
    EXPECT_EQ(measured->status, Status::failed) << one.message;
    EXPECT_THAT(measured->message, HasSubstr(one.message));
    EXPECT_EQ(measured->energy, Joules(0.0));
    EXPECT_EQ(bench.device.log.back(), "unlock");
  }
}

TEST(Adaptive, ProtocolsWithoutMeaningAreRefused) {
  Bench bench;
  Protocol protocol;
  protocol.adaptive = AdaptiveProtocol{.settle = Seconds(-1),
                                       .energy_interval = 0.0,
                                       .shortest_window = Seconds(kNan),
                                       .longest_window = Seconds(0.0),
                                       .longest_cooldown = Seconds(HUGE_VAL),
                                       .longest_warm_up = Seconds(-2)};
  const auto profiler = Profiler::create(bench.device, bench.store, protocol, "family");
  ASSERT_FALSE(profiler);
  EXPECT_EQ(profiler.error().problems.size(), 6U) << profiler.error().to_string();
}

/// A partition-sized product on the simulated A100.
struct Simulated {
  device::DeviceDescription description =
      *device::read_description(std::string(KAREUS_SOURCE_DIR) + "/devices/a100-sxm4-40gb.toml");
  device::Work work;
  Simulated() {
    workload::Operator product;
    product.name = "linear";
    product.kind = workload::OperatorKind::linear;
    product.products = {{.m = 16384, .n = 2048, .k = 3072}};
    product.work = Flops(2.0 * 16384 * 2048 * 3072);
    product.traffic = Bytes(2.0 * (16384.0 * 3072 + 3072.0 * 2048 + 16384.0 * 2048));
    work = {.name = "linear", .compute = {product}, .slots = {}, .communication = {}};
  }
  static device::Execution at(int mhz) { return {.clock = Clock{mhz}, .config = {}}; }
};

TEST(Adaptive, AgreesWithALongWindowWithinItsInterval) {
  Simulated simulated;
  simulated.description.noise = {.time_cv = 0.0, .energy_cv = 0.0};
  auto device = device::make_sim_device(simulated.description, 1);
  TemporaryPath file;
  auto store = Store::open(file.path(), "bench");
  auto profiler = Profiler::create(*device, *store, adaptive(), "family");
  ASSERT_TRUE(profiler);
  const auto measured = profiler->measure(simulated.work, Simulated::at(1200), "");
  ASSERT_TRUE(measured) << measured.error().to_string();
  ASSERT_EQ(measured->status, Status::ok);
  // The same device goes on: a minute more of the same work tells the power, at a few degrees more.
  const auto before = *device->energy_counter();
  const auto run = device->run(simulated.work, Simulated::at(1200), 20'000);
  ASSERT_TRUE(run);
  const double power = (*device->energy_counter() - before).si() / run->elapsed.si();
  EXPECT_NEAR((measured->energy / measured->time).si() / power, 1.0, 0.01);
}

TEST(Adaptive, ARunInPiecesIsTheSameRun) {
  const Simulated simulated;
  const int clocks[] = {1410, 1410, 1200, 900, 1410};
  const auto named = [&](std::size_t i) {
    device::Work work = simulated.work;
    work.name += std::to_string(i);
    return work;
  };
  TemporaryPath whole_file;
  auto whole = Store::open(whole_file.path(), "bench");
  {
    auto device = device::make_sim_device(simulated.description, 1);
    auto profiler = Profiler::create(*device, *whole, adaptive(), "family");
    for (std::size_t i = 0; i < 5; ++i) ASSERT_TRUE(profiler->measure(named(i), Simulated::at(clocks[i]), ""));
  }
  TemporaryPath pieces_file;
  for (std::size_t i = 0; i < 5; ++i) {
    auto pieces = Store::open(pieces_file.path(), "bench");
    auto device = device::make_sim_device(simulated.description, 1);
    auto profiler = Profiler::create(*device, *pieces, adaptive(), "family");
    ASSERT_TRUE(profiler->measure(named(i), Simulated::at(clocks[i]), ""));
  }
  auto pieces = Store::open(pieces_file.path(), "bench");
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(same((*whole->family("family"))[i], (*pieces->family("family"))[i])) << i;
  }
}

TEST(CounterFit, FindsTheSlopeOfALine) {
  CounterFit fit;
  EXPECT_TRUE(std::isinf(fit.interval()));
  for (const double t : {100.0, 100.2, 100.4, 100.6}) fit.add(Seconds(t), Joules(7000.0 + 300.0 * t), Seconds(0.0));
  EXPECT_NEAR(fit.power().si(), 300.0, 1e-6);
  EXPECT_NEAR(fit.interval(), 0.0, 1e-6);
  EXPECT_NEAR(fit.span().si(), 0.6, 1e-9);
}

TEST(CounterFit, TheIntervalIsThatOfLeastSquares) {
  CounterFit fit;
  // Residuals of (0, 1, 1, 3) about 0.9 t - 0.1: 0.1, 0.2, -0.7, 0.4; sum of squares 0.7.
  const double joules[] = {0.0, 1.0, 1.0, 3.0};
  for (int i = 0; i < 4; ++i) fit.add(Seconds(i), Joules(joules[i]), Seconds(0.0));
  EXPECT_NEAR(fit.power().si(), 0.9, 1e-12);
  EXPECT_NEAR(fit.interval(), 4.302653 * std::sqrt(0.7 / 2.0 / 5.0) / 0.9, 1e-6);
}

TEST(CounterFit, WideBracketsWidenTheIntervalOfAPerfectLine) {
  CounterFit fit;
  for (int i = 0; i < 4; ++i) fit.add(Seconds(i), Joules(10.0 * i), Seconds(0.1));
  EXPECT_NEAR(fit.interval(), 4.302653 * 0.1 / std::sqrt(12.0) / std::sqrt(5.0), 1e-6);
}

}  // namespace
}  // namespace kareus::profile
