#include "planner/families.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "planner/works.hpp"

namespace kareus::planner {

namespace {

/// Expected relative gain in hypervolume of a batch of four: less is not worth its minute of measuring.
constexpr double kStopGain = 1e-3;

}  // namespace

search::StrategyOptions search_options(const workload::PartitionType& type, Watts static_power, std::uint64_t seed) {
  const search::MultiPassOptions sizes = search::published_sizes(type.slots.size());
  return {.budget = sizes.initial + sizes.batches * sizes.batch_size,
          .static_power = static_power.si(),
          .seed = derive_seed(seed, "search/" + type.name),
          .stop_gain = kStopGain};
}

std::vector<Family> families(const workload::WorkloadParts& parts, const device::DeviceInfo& device) {
  std::vector<Family> all;
  for (const workload::PartitionType& type : parts.types) {
    const std::size_t space = partition_space(type, device).candidates.size();
    all.push_back({.name = type.name,
                   .type = &type,
                   .works = {},
                   .expected = std::min(space, search_options(type, Watts(0), 0).budget)});
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
