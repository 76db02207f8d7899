#include "planner/works.hpp"

#include <algorithm>

namespace kareus::planner {
namespace {

std::string prefix(workload::Direction direction) {
  return direction == workload::Direction::forward ? "fwd_" : "bwd_";
}

}  // namespace

device::Work partition_work(const workload::PartitionType& type) {
  return {.name = type.name, .compute = type.compute, .slots = type.slots, .communication = type.communication};
}

device::Work sequential_work(workload::Direction direction, const workload::InstructionWork& instruction) {
  return {.name = prefix(direction) + "sequential_layer",
          .compute = instruction.sequential_layer,
          .slots = {},
          .communication = {}};
}

device::Work non_partition_work(workload::Direction direction, const workload::NonPartitionWork& work) {
  return {.name = prefix(direction) + work.name, .compute = work.operators, .slots = {}, .communication = {}};
}

std::vector<device::Work> non_partition_works(const workload::WorkloadParts& parts) {
  std::vector<device::Work> works;
  const auto add = [&](workload::Direction direction,
                       const std::vector<std::vector<workload::NonPartitionWork>>& stages) {
    for (const auto& stage : stages) {
      for (const workload::NonPartitionWork& part : stage) {
        device::Work work = non_partition_work(direction, part);
        const bool known =
            std::any_of(works.begin(), works.end(), [&](const device::Work& other) { return other.name == work.name; });
        if (!known) works.push_back(std::move(work));
      }
    }
  };
  add(workload::Direction::forward, parts.stage_forward);
  add(workload::Direction::backward, parts.stage_backward);
  return works;
}

}  // namespace kareus::planner
