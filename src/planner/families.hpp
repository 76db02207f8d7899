#pragma once

#include <string>
#include <vector>

#include "kareus/planner.hpp"

namespace kareus::planner {

/// What is measured on one device group, in order. Families are independent of each other, so any number of them can
/// run at the same time and the result is the same.
struct Family {
  std::string name;
  /// A partition type to search; nothing for a family of fixed works.
  const workload::PartitionType* type = nullptr;
  std::vector<device::Work> works;  ///< fixed: each at every clock
  std::size_t expected = 0;         ///< measurements at most
};

/// Families of a workload: `static_power`, `sequential`, `non_partition`, and one per partition type.
std::vector<Family> families(const workload::WorkloadParts& parts, const device::DeviceInfo& device);

/// The search that a partition type gets: the published budget of its size, which `adaptive` leaves unused where it
/// expects no gain.
search::StrategyOptions search_options(const workload::PartitionType& type, Watts static_power, std::uint64_t seed);

}  // namespace kareus::planner
