#include "device/sim/simulation.hpp"

#include <algorithm>
#include <numeric>

#include "device/sim/power.hpp"
#include "device_support.hpp"

namespace kareus::device {
namespace {

using namespace testing;
using workload::OperatorKind;

double timeline_energy(const sim::Simulation& simulation) {
  double joules = 0.0;
  for (const sim::Interval& interval : simulation.timeline) {
    joules += ((interval.dynamic + interval.clock_tree) * interval.duration).si();
  }
  return joules;
}

TEST(Simulation, EnergyIsTheIntegralOfPower) {
  const sim::SimulationOptions options{.temperature = Celsius{55.0}};
  const sim::Simulation simulation = simulated(a100(), attention_partition(), at(1410, 6, "linear_0"), options);
  const double leakage = sim::leakage_power(a100(), 55.0) * simulation.time.si();
  EXPECT_NEAR(simulation.energy().si(), timeline_energy(simulation) + leakage, 1e-12);
  EXPECT_GT(simulation.energy().si(), sim::static_power(a100(), Clock{1410}, 55.0) * simulation.time.si());
}

TEST(Simulation, TimelineIsContiguousAndComplete) {
  const Work work = attention_partition();
  const sim::Simulation simulation = simulated(a100(), work, at(1200, 3, "rope_0"));
  double now = 0.0;
  for (const sim::Interval& interval : simulation.timeline) {
    EXPECT_NEAR(interval.start.si(), now, 1e-15);
    EXPECT_GT(interval.duration.si(), 0.0);
    now += interval.duration.si();
  }
  EXPECT_NEAR(simulation.time.si(), now, 1e-15);
  for (std::size_t i = 0; i < work.compute.size(); ++i) {
    EXPECT_TRUE(std::any_of(simulation.timeline.begin(), simulation.timeline.end(),
                            [&](const sim::Interval& interval) { return interval.compute == i; }));
  }
}

TEST(Simulation, CommunicationStartsWithTheFirstOperatorOfItsSlot) {
  const Work work = attention_partition();
  for (const workload::LaunchSlot& slot : work.slots) {
    const sim::Simulation simulation = simulated(a100(), work, at(1410, 8, slot.name));
    const auto first = std::find_if(simulation.timeline.begin(), simulation.timeline.end(),
                                    [](const sim::Interval& interval) { return interval.communication; });
    ASSERT_NE(first, simulation.timeline.end());
    EXPECT_EQ(first->compute, slot.first_operator) << slot.name;
    if (first != simulation.timeline.begin()) {
      EXPECT_EQ(std::prev(first)->compute, slot.first_operator - 1);
    }
  }
  const sim::Simulation after = simulated(a100(), work, at(1410, 8, "none"));
  EXPECT_FALSE(after.timeline.back().compute.has_value());
  EXPECT_TRUE(after.timeline.back().communication);
  EXPECT_FALSE(after.timeline[after.timeline.size() - 2].communication);
}

TEST(Simulation, SequentialCommunicationRunsInPlaceWithTheDefaultSmCount) {
  Work sequential = attention_partition();
  const workload::Operator op = *sequential.communication;
  sequential.communication.reset();
  sequential.slots.clear();
  sequential.compute.push_back(op);
  const int sms = a100().communication.default_sm_count.value;
  const sim::Simulation in_place = simulated(a100(), sequential, at(1410));
  const sim::Simulation after = simulated(a100(), attention_partition(), at(1410, sms, "none"));
  EXPECT_NEAR(in_place.time.si(), after.time.si(), 1e-12);
  EXPECT_NEAR(in_place.energy().si(), after.energy().si(), 1e-9);
}

TEST(Simulation, MoreSmsNeverSlowCommunication) {
  for (const int ranks : {2, 4, 8}) {
    for (const OperatorKind kind : {OperatorKind::all_reduce, OperatorKind::all_gather, OperatorKind::reduce_scatter}) {
      Work work;
      work.name = "communication";
      work.communication = collective(kind, ranks, 3e7);
      double before = 1e9;
      for (int sms = 1; sms <= 60; ++sms) {
        const double now = simulated(a100(), work, at(1410, sms, "none")).time.si();
        EXPECT_LE(now, before);
        before = now;
      }
    }
  }
}

TEST(Simulation, AllReduceMovesTwiceTheBytesOfAGather) {
  EXPECT_DOUBLE_EQ(sim::wire_bytes(all_reduce(8, 8e6)), 14e6);
  EXPECT_DOUBLE_EQ(sim::wire_bytes(collective(OperatorKind::all_gather, 8, 8e6)), 7e6);
  EXPECT_DOUBLE_EQ(sim::wire_bytes(collective(OperatorKind::reduce_scatter, 2, 8e6)), 4e6);
}

TEST(Simulation, ClockMattersForComputeAndNotForMemory) {
  const Work compute = only(linear("gemm", 8192, 8192, 8192));
  const Work memory = only(streaming("norm", OperatorKind::norm, 2e8));
  const auto time = [](const Work& work, int mhz) { return simulated(uncapped_a100(), work, at(mhz)).time.si(); };
  EXPECT_NEAR(time(compute, 900) / time(compute, 1410), 1410.0 / 900.0, 0.01);
  EXPECT_NEAR(time(memory, 900) / time(memory, 1410), 1.0, 0.005);
  double before = 0.0;
  for (const Clock clock : a100().supported.descending()) {
    const double now = time(compute, clock.mhz);
    EXPECT_GT(now, before);
    before = now;
  }
}

TEST(Simulation, WavesAndShallowProductsCostTime) {
  // 108 tiles of 128 x 256 fill the device once; one more tile needs a second wave.
  const auto time = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    workload::Operator op = linear("gemm", m, n, k);
    op.traffic = Bytes(0.0);
    return simulated(uncapped_a100(), only(op), at(1410)).time.si();
  };
  const double gap = a100().compute.kernel_gap.si();
  const double one_wave = time(128 * 108, 256, 8192) - gap;
  const double two_waves = time(128 * 109, 256, 8192) - gap;
  EXPECT_NEAR(two_waves / one_wave, 2.0, 0.02);
  EXPECT_GT((time(8192, 8192, 512) - gap) * 8.0, time(8192, 8192, 4096) * 1.2);
}

TEST(Simulation, LaunchSlotIsIrrelevantWithoutCommunication) {
  Work work = attention_partition();
  work.communication.reset();
  const sim::Simulation reference = simulated(a100(), work, at(1410));
  for (const std::string slot : {"norm_0", "attn_0", "none"}) {
    const sim::Simulation other = simulated(a100(), work, at(1410, 5, slot));
    EXPECT_EQ(other.time, reference.time);
    EXPECT_EQ(other.energy(), reference.energy());
  }
}

TEST(Simulation, CollectiveTakesMemoryBandwidth) {
  Work work = only(streaming("norm", OperatorKind::norm, 4e8));
  const double alone = simulated(a100(), work, at(1410)).time.si();
  work.slots = {{"norm_0", 0}};
  work.communication = all_reduce(8, 3e8);
  const sim::Simulation overlapped = simulated(a100(), work, at(1410, 30, "norm_0"));
  // The streaming kernel still has more SMs than it needs: what it loses is bandwidth.
  const auto& first = overlapped.timeline.front();
  ASSERT_TRUE(first.communication);
  EXPECT_GT(first.duration.si(), 1.3 * alone);
  EXPECT_LT(first.duration.si(), 3.0 * alone);
}

TEST(Simulation, BindingCapThrottlesAndSlows) {
  DeviceDescription capped = quiet_a100();
  capped.power.cap = Watts(260.0);
  capped.power.limiter_response = Seconds(0.0);
  const Work work = attention_partition();
  const sim::Simulation free = simulated(uncapped_a100(), work, at(1410, 6, "norm_0"));
  const sim::Simulation bound = simulated(capped, work, at(1410, 6, "norm_0"));
  EXPECT_FALSE(free.throttled);
  EXPECT_TRUE(bound.throttled);
  EXPECT_GT(bound.time.si(), free.time.si() * 1.02);
  EXPECT_LT(bound.energy(), free.energy());
  for (const sim::Interval& interval : bound.timeline) {
    const double watts = (interval.dynamic + interval.clock_tree).si() + sim::leakage_power(capped, 40.0);
    EXPECT_LE(watts, 260.0 * capped.power.cap_fraction + 1e-9);
    EXPECT_TRUE(capped.supported.contains(interval.clock));
  }
  // A limiter this fast acts on operators: memory-bound ones keep the locked clock.
  EXPECT_EQ(bound.timeline.front().clock.mhz, 1410);
}

TEST(Simulation, CapIsIgnoredWhenAsked) {
  DeviceDescription capped = quiet_a100();
  capped.power.cap = Watts(200.0);
  const sim::Simulation simulation =
      simulated(capped, attention_partition(), at(1410, 6, "norm_0"), {.limit_power = false});
  EXPECT_FALSE(simulation.throttled);
}

TEST(Simulation, HotDieLowersTheClock) {
  const sim::Simulation hot =
      simulated(a100(), attention_partition(), at(1410, 6, "norm_0"), {.temperature = Celsius{88.0}});
  EXPECT_TRUE(hot.throttled);
  for (const sim::Interval& interval : hot.timeline) EXPECT_LE(interval.clock.mhz, 1410 - 3 * 15);
}

TEST(Simulation, HugeHeavyLoadRunsAtTheLowestClockWhenNothingFits) {
  DeviceDescription capped = quiet_a100();
  capped.power.cap = Watts(20.0);
  const sim::Simulation simulation = simulated(capped, attention_partition(), at(1410, 6, "norm_0"));
  for (const sim::Interval& interval : simulation.timeline) EXPECT_EQ(interval.clock.mhz, 210);
}

TEST(Simulation, RejectsWhatCannotBeExecuted) {
  const Work work = attention_partition();
  const auto error_of = [](const Work& bad, const Execution& execution) {
    const auto simulation = sim::simulate(a100(), bad, execution);
    if (simulation) return std::string();
    EXPECT_EQ(simulation.error().code, ErrorCode::bad_input);
    return simulation.error().to_string();
  };
  EXPECT_NE(error_of(work, at(1411, 3, "norm_0")).find("1411 MHz"), std::string::npos);
  EXPECT_NE(error_of(work, at(1410, 3, "nrom_0")).find("did you mean 'norm_0'?"), std::string::npos);
  EXPECT_NE(error_of(work, at(1410, 0, "norm_0")).find("0 SMs"), std::string::npos);
  EXPECT_NE(error_of(work, at(1410, 108, "norm_0")).find("108 SMs"), std::string::npos);
  EXPECT_NE(error_of(work, at(1410)), "");
  Work both = work;
  both.compute.push_back(all_reduce(2, 1e6));
  EXPECT_NE(error_of(both, at(1410, 3, "norm_0")).find("both overlapped and in place"), std::string::npos);
  Work negative = work;
  negative.compute[0].traffic = Bytes(-1.0);
  EXPECT_NE(error_of(negative, at(1410, 3, "norm_0")), "");
  Work nan = work;
  nan.compute[0].work = Flops(std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(error_of(nan, at(1410, 3, "norm_0")), "");
  Work alone = work;
  alone.communication->ranks = 1;
  EXPECT_NE(error_of(alone, at(1410, 3, "norm_0")), "");
  EXPECT_NE(error_of(Work{.name = "empty", .compute = {}, .slots = {}, .communication = {}}, at(1410)), "");
  Work beyond = work;
  beyond.slots[0].first_operator = 99;
  EXPECT_NE(error_of(beyond, at(1410, 3, "norm_0")), "");
}

}  // namespace
}  // namespace kareus::device
