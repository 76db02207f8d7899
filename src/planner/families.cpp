#include "planner/families.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "planner/works.hpp"

namespace kareus::planner {

search::MultiPassOptions search_options(const workload::PartitionType& type, Watts static_power, std::uint64_t seed) {
  search::MultiPassOptions options = search::published_sizes(type.slots.size());
  options.static_power = static_power.si();
  options.seed = derive_seed(seed, "search/" + type.name);
  return options;
}

std::vector<Family> families(const workload::WorkloadParts& parts, const device::DeviceInfo& device) {
  std::vector<Family> all;
  for (const workload::PartitionType& type : parts.types) {
    const search::MultiPassOptions sizes = search_options(type, Watts(0), 0);
    const std::size_t space = partition_space(type, device).candidates.size();
    all.push_back({.name = type.name,
                   .type = &type,
                   .works = {},
                   .expected = std::min(space, sizes.initial + sizes.batches * sizes.batch_size)});
  }
  std::vector<device::Work> sequential = {sequential_work(workload::Direction::forward, parts.forward),
                                          sequential_work(workload::Direction::backward, parts.backward)};
  std::vector<device::Work> others = non_partition_works(parts);
  const std::size_t clocks = device.clocks.size();
  all.push_back({.name = "sequential", .works = std::move(sequential), .expected = 2 * clocks});
  all.push_back({.name = "non_partition", .works = others, .expected = others.size() * clocks});
  return all;
}

}  // namespace kareus::planner
