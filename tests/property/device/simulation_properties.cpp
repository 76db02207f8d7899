#include <gtest/gtest.h>

#include <algorithm>
// After GoogleTest, whose names it uses.
#include <rapidcheck/gtest.h>

#include "../../unit/device/device_support.hpp"
#include "device/sim/kernels.hpp"
#include "device/sim/power.hpp"

namespace kareus::device {
namespace {

using namespace testing;
using workload::OperatorKind;

/// A partition of up to five operators with a slot at each of them and communication of any kind.
Work any_partition() {
  Work work;
  work.name = "any";
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    const std::string name = "op_" + std::to_string(i);
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) work.compute.push_back(streaming(name, OperatorKind::norm, *rc::gen::inRange(1, 400) * 1e6));
    if (kind == 1) {
      work.compute.push_back(
          linear(name, *rc::gen::inRange(1, 16384), *rc::gen::inRange(1, 8192), *rc::gen::inRange(1, 8192)));
    }
    if (kind == 2) work.compute.push_back(attention(*rc::gen::inRange(1, 400) * 1e9, *rc::gen::inRange(1, 100) * 1e6));
    work.slots.push_back({name, work.compute.size() - 1});
  }
  const auto kind = *rc::gen::element(OperatorKind::all_reduce, OperatorKind::all_gather, OperatorKind::reduce_scatter);
  work.communication = collective(kind, *rc::gen::element(2, 4, 8), *rc::gen::inRange(1, 200) * 1e6);
  return work;
}

Clock any_clock() {
  return *rc::gen::elementOf(a100().supported.descending());
}

Execution any_execution(const Work& work) {
  const auto slot = *rc::gen::inRange<std::size_t>(0, work.slots.size() + 1);
  return {.clock = any_clock(),
          .config = schedule::PartitionConfig{SmCount{*rc::gen::inRange(1, 60)}, slot < work.slots.size()
                                                                                     ? work.slots[slot].name
                                                                                     : std::string(schedule::kNoSlot)}};
}

RC_GTEST_PROP(SimulationProperties, OverlapIsBoundedByItsParts, ()) {
  const Work work = any_partition();
  const Execution execution = any_execution(work);
  const DeviceDescription device = uncapped_a100();
  Work compute = work;
  compute.communication.reset();
  const double compute_alone = simulated(device, compute, execution).time.si();
  const double communication =
      sim::collective_seconds(device, *work.communication, execution.config->sm_count.value, execution.clock);
  const double together = simulated(device, work, execution).time.si();
  RC_ASSERT(together >= std::max(compute_alone, communication) * (1.0 - 1e-9));
  // Contention lasts no longer than the communication, which is not slowed: what compute had left runs alone.
  RC_ASSERT(together <= (compute_alone + communication) * (1.0 + 1e-9));
}

RC_GTEST_PROP(SimulationProperties, EnergyIsAboveStaticAndIsTheIntegral, ()) {
  const Work work = any_partition();
  const Execution execution = any_execution(work);
  const double degrees = *rc::gen::inRange(30, 90);
  const sim::Simulation simulation = simulated(a100(), work, execution, {.temperature = Celsius{degrees}});
  double joules = 0.0;
  double seconds = 0.0;
  for (const sim::Interval& interval : simulation.timeline) {
    RC_ASSERT(interval.dynamic.si() > 0.0);
    RC_ASSERT(interval.clock <= execution.clock);
    joules += (interval.dynamic + interval.clock_tree).in(Watts(1.0)) * interval.duration.si();
    seconds += interval.duration.si();
  }
  const double leakage = sim::leakage_power(a100(), degrees) * seconds;
  RC_ASSERT(std::abs(simulation.energy().si() - joules - leakage) <= 1e-9 * simulation.energy().si());
  RC_ASSERT(simulation.energy() > simulation.clock_tree_energy + simulation.leakage_energy);
}

RC_GTEST_PROP(SimulationProperties, CapHoldsItsLimitAndNeverSpeedsUpCompute, ()) {
  const Work work = any_partition();
  const Execution execution = any_execution(work);
  DeviceDescription device = quiet_a100();
  device.power.cap = Watts(*rc::gen::inRange(100, 420));
  const sim::Simulation free = simulated(uncapped_a100(), work, execution);
  const sim::Simulation bound = simulated(device, work, execution);
  if (!bound.throttled) {
    RC_ASSERT(bound.energy() == free.energy());
    RC_ASSERT(bound.time == free.time);
  }
  // A slower collective takes less bandwidth at a time and meets other operators, which may suit compute better: only
  // without one is a lower clock always slower.
  Work compute = work;
  compute.communication.reset();
  RC_ASSERT(simulated(device, compute, execution).time >=
            simulated(uncapped_a100(), compute, execution).time * (1.0 - 1e-9));
  const double limit = device.power.cap.si() * device.power.cap_fraction + 1e-9;
  const bool slowest = std::all_of(bound.timeline.begin(), bound.timeline.end(), [&](const sim::Interval& interval) {
    return interval.clock == device.supported.lowest;
  });
  RC_ASSERT(bound.time.si() == 0.0 || (bound.energy() / bound.time).si() <= limit || slowest);
}

RC_GTEST_PROP(SimulationProperties, AnImmediateLimiterBoundsEveryInterval, ()) {
  const Work work = any_partition();
  const Execution execution = any_execution(work);
  DeviceDescription device = quiet_a100();
  device.power.cap = Watts(*rc::gen::inRange(100, 420));
  device.power.limiter_response = Seconds(0.0);
  for (const sim::Interval& interval : simulated(device, work, execution).timeline) {
    const double watts = (interval.dynamic + interval.clock_tree).si() + sim::leakage_power(device, 40.0);
    RC_ASSERT(watts <= device.power.cap.si() * device.power.cap_fraction + 1e-9 ||
              interval.clock == device.supported.lowest);
  }
}

RC_GTEST_PROP(SimulationProperties, HigherClockIsNeverSlowerWithoutCap, ()) {
  const Work work = any_partition();
  Execution slow = any_execution(work);
  Execution fast = slow;
  fast.clock = any_clock();
  if (fast.clock < slow.clock) std::swap(fast.clock, slow.clock);
  Work compute = work;
  compute.communication.reset();
  RC_ASSERT(simulated(uncapped_a100(), compute, fast).time <= simulated(uncapped_a100(), compute, slow).time);
}

RC_GTEST_PROP(SimDeviceProperties, RepetitionsAddUp, ()) {
  const Work work = any_partition();
  const Execution execution = any_execution(work);
  const long count = *rc::gen::inRange(1L, 400L);
  DeviceDescription device = uncapped_a100();
  device.energy_counter_period = Seconds(1e-4);
  device.power.leakage_per_kelvin = 0.0;  // so that the energy does not depend on the history of temperatures
  const auto once = make_sim_device(device, 1);
  const auto many = make_sim_device(device, 1);
  double elapsed = 0.0;
  for (long i = 0; i < count; ++i) elapsed += once->run(work, execution, 1)->elapsed.si();
  RC_ASSERT(std::abs(many->run(work, execution, count)->elapsed.si() / elapsed - 1.0) < 1e-9);
  const double tolerance = 1e-4 * 1000.0 * 2.0;  // two steps of the counter at a power that nothing here exceeds
  RC_ASSERT(std::abs(many->energy_counter()->si() - once->energy_counter()->si()) <=
            tolerance + 1e-9 * many->energy_counter()->si());
}

RC_GTEST_PROP(SimDeviceProperties, CheckpointsContinueBitEqual, (std::uint64_t seed)) {
  const Work work = any_partition();
  const auto first = make_sim_device(a100(), seed);
  const long before = *rc::gen::inRange(1L, 5000L);
  RC_ASSERT(first->run(work, any_execution(work), before).has_value());
  const auto second = make_sim_device(a100(), seed);
  RC_ASSERT(second->restore(first->checkpoint()).has_value());
  const Execution execution = any_execution(work);
  RC_ASSERT(first->run(work, execution, 99)->elapsed == second->run(work, execution, 99)->elapsed);
  RC_ASSERT(first->checkpoint() == second->checkpoint());
}

}  // namespace
}  // namespace kareus::device
