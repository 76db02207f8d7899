#pragma once

#include <vector>

#include "kareus/partition.hpp"

namespace kareus::workload {

/// Work of the given stage outside its layers for one whole microbatch, in execution order: the first stage embeds
/// tokens, the last one has the final norm, the output layer and the loss. A stage may be both.
std::vector<NonPartitionWork> non_partition_work(const Workload& workload, Direction direction, int stage);

}  // namespace kareus::workload
