#pragma once

#include <string>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/partition.hpp"

namespace kareus::planner {

/// The works of a workload by name; names are what the store files measurements under.
device::Work partition_work(const workload::PartitionType& type);
device::Work sequential_work(workload::Direction direction, const workload::InstructionWork& instruction);
device::Work non_partition_work(workload::Direction direction, const workload::NonPartitionWork& work);

/// Distinct non-partition works of all stages, in order of stage.
std::vector<device::Work> non_partition_works(const workload::WorkloadParts& parts);

}  // namespace kareus::planner
