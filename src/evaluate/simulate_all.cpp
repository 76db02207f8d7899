#include "device/sim/power.hpp"
#include "device/sim/settled.hpp"
#include "kareus/evaluate.hpp"
#include "planner/works.hpp"

namespace kareus::evaluate {
namespace {

/// Collects noise-free measurements of one device.
class Collector {
 public:
  explicit Collector(const device::DeviceDescription& device) : device_(device) {}

  Result<profile::Measurement> measure(const device::Work& work, const device::Execution& execution) const {
    auto settled = device::sim::simulate_settled(device_, work, execution);
    if (!settled) return tl::unexpected(std::move(settled).error());
    const device::sim::Simulation& simulation = settled->simulation;
    return profile::Measurement{.work = work.name,
                                .execution = execution,
                                .status = simulation.throttled ? profile::Status::throttled : profile::Status::ok,
                                .message = {},
                                .time = simulation.time,
                                .energy = simulation.energy(),
                                .temperature = settled->temperature,
                                .window = simulation.time,
                                .repetitions = 1,
                                .spent = simulation.time,
                                .found_by = "exhaustive"};
  }

  Result<void> add(planner::Measured& into, const device::Work& work, const device::Execution& execution) const {
    auto measurement = measure(work, execution);
    if (!measurement) return tl::unexpected(std::move(measurement).error());
    into.measurements.push_back(std::move(*measurement));
    return {};
  }

 private:
  const device::DeviceDescription& device_;
};

/// Launched with the first compute, on the SMs that the library takes by default.
schedule::PartitionConfig default_config(const workload::PartitionType& type, SmCount sms) {
  return {.sm_count = sms, .launch_slot = type.slots.empty() ? schedule::kNoSlot : type.slots.front().name};
}

}  // namespace

std::function<Watts(Clock)> blocked_power(const device::DeviceDescription& device) {
  return [device](Clock clock) {
    double degrees = device::sim::kTrainingDegrees;
    double watts = 0.0;
    for (int round = 0; round < 32; ++round) {
      watts = device::sim::static_power(device, clock, degrees);
      degrees = device.thermal.ambient.degrees + device.thermal.kelvin_per_watt * watts;
    }
    return Watts(watts);
  };
}

Result<Exhaustive> simulate_all(const workload::Workload& workload, const device::DeviceDescription& device) {
  Exhaustive all{.info = device.info(), .parts = {}, .overlapped = {}, .nanobatched = {}, .sequential = {}};
  KAREUS_RETURN_IF_ERROR(planner::check_device(workload, all.info, workload.name));
  all.parts = workload::decompose(workload, all.info.rates);
  const Collector collector(device);
  const auto static_power = blocked_power(device);
  planner::Measured fixed{
      .static_power = static_power(device.searched.highest), .static_power_at = {}, .measurements = {}};
  for (const Clock clock : all.info.clocks) fixed.static_power_at[clock] = static_power(clock);
  for (const device::Work& work : planner::non_partition_works(all.parts)) {
    for (const Clock clock : all.info.clocks) KAREUS_RETURN_IF_ERROR(collector.add(fixed, work, {clock, {}}));
  }
  all.nanobatched = fixed;
  all.overlapped = fixed;
  for (const workload::PartitionType& type : all.parts.types) {
    const device::Work work = planner::partition_work(type);
    for (const device::Execution& execution : planner::partition_space(type, all.info).candidates) {
      KAREUS_RETURN_IF_ERROR(collector.add(all.overlapped, work, execution));
    }
    const auto config = default_config(type, device.communication.default_sm_count);
    for (const Clock clock : all.info.clocks) {
      KAREUS_RETURN_IF_ERROR(collector.add(all.nanobatched, work, {clock, config}));
    }
  }
  all.sequential = std::move(fixed);
  for (const Clock clock : all.info.clocks) {
    const auto forward = planner::sequential_work(workload::Direction::forward, all.parts.forward);
    const auto backward = planner::sequential_work(workload::Direction::backward, all.parts.backward);
    KAREUS_RETURN_IF_ERROR(collector.add(all.sequential, forward, {clock, {}}));
    KAREUS_RETURN_IF_ERROR(collector.add(all.sequential, backward, {clock, {}}));
  }
  for (const profile::Measurement& one : all.sequential.measurements) {
    if (one.work.ends_with("sequential_layer")) all.overlapped.measurements.push_back(one);
  }
  return all;
}

}  // namespace kareus::evaluate
