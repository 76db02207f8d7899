#include "device/sim/simulation.hpp"
#include "kareus/calibrate.hpp"

namespace kareus::calibrate {
namespace {

constexpr Celsius kSweepTemperature{45.0};  ///< in the mean of windows of 5 s after cooldowns of 5 s, at 170 to 340 W

device::Work work_of(const PartitionSweep& sweep, const std::vector<double>& amounts) {
  device::Work work{.name = sweep.name, .compute = sweep.compute, .slots = {}, .communication = sweep.communication};
  for (std::size_t i = 0; i < sweep.unknown.size(); ++i) {
    workload::Operator& op = work.compute[sweep.unknown[i]];
    op.work *= amounts[i];
    op.traffic *= amounts[i];
  }
  for (std::size_t i = 0; i < work.compute.size(); ++i) work.slots.push_back({std::to_string(i), i});
  return work;
}

}  // namespace

Result<std::vector<Prediction>> predict(const device::DeviceDescription& device, const PartitionSweep& sweep,
                                        const std::vector<double>& amounts) {
  const device::Work work = work_of(sweep, amounts);
  std::vector<Prediction> predictions;
  for (const PartitionRow& row : sweep.rows) {
    const std::string slot = row.launched_with ? std::to_string(*row.launched_with) : schedule::kNoSlot;
    const device::Execution execution{
        .clock = row.clock, .config = schedule::PartitionConfig{.sm_count = row.sm_count, .launch_slot = slot}};
    auto simulation = device::sim::simulate(device, work, execution,
                                            {.temperature = kSweepTemperature,
                                             .limit_power = false,  // a row's clock is the one it ran at
                                             .host_exposed = true,
                                             .joins_before = row.joined_before});
    if (!simulation) return tl::unexpected(std::move(simulation).error());
    predictions.push_back({.row = &row, .time = simulation->time, .energy = simulation->energy()});
  }
  return predictions;
}

}  // namespace kareus::calibrate
