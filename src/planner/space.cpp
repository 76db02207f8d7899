#include <fmt/format.h>

#include "kareus/planner.hpp"

namespace kareus::planner {

PartitionSpace partition_space(const workload::PartitionType& type, const device::DeviceInfo& device) {
  PartitionSpace space;
  space.features.features = {"clock_mhz", "sm_count"};
  space.features.clock = 0;
  for (const std::size_t slot : type.searched_slots) {
    space.features.features.push_back("launch_slot=" + type.slots[slot].name);
  }
  const int ranks = type.communication ? type.communication->ranks : 1;
  for (const Clock clock : device.clocks) {
    for (const SmCount sm_count : device.sm_counts(ranks)) {
      for (std::size_t i = 0; i < type.searched_slots.size(); ++i) {
        const std::string& slot = type.slots[type.searched_slots[i]].name;
        space.candidates.push_back(
            {.clock = clock, .config = schedule::PartitionConfig{.sm_count = sm_count, .launch_slot = slot}});
        std::vector<double> row(2 + type.searched_slots.size(), 0.0);
        row[0] = clock.mhz;
        row[1] = sm_count.value;
        row[2 + i] = 1.0;
        space.features.rows.push_back(std::move(row));
      }
    }
  }
  return space;
}

Result<void> check_device(const workload::Workload& workload, const device::DeviceInfo& device,
                          const std::string& name) {
  const workload::Parallelism& parallelism = workload.parallelism;
  if (device.gpus_per_node % parallelism.gpus_per_stage() == 0) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("tensor {} x context {} = {} GPUs of a stage do not divide the {} GPUs of a node of {}",
                          parallelism.tensor, parallelism.context, parallelism.gpus_per_stage(), device.gpus_per_node,
                          device.name),
              name, "choose degrees whose product divides it; pipeline and data parallelism cross nodes");
}

}  // namespace kareus::planner
