#include <algorithm>
#include <set>
#include <utility>

#include "kareus/partition.hpp"
#include "workload/naming.hpp"
#include "workload/nonpartition.hpp"

namespace kareus::workload {
namespace {

bool same_compute(const std::vector<Operator>& a, const std::vector<Operator>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Operator& x, const Operator& y) {
    return x.name == y.name && x.kind == y.kind && x.work == y.work && x.traffic == y.traffic;
  });
}

/// A communication is known by what it moves; which operator it follows makes no difference to it.
bool same_communication(const std::optional<Operator>& a, const std::optional<Operator>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->kind == b->kind && a->group == b->group && a->ranks == b->ranks && a->message == b->message;
}

std::vector<FoundPartition> partitions_of_layers(const std::vector<Operator>& layer, int layers) {
  std::vector<Operator> operators;
  for (int i = 0; i < layers; ++i) operators.insert(operators.end(), layer.begin(), layer.end());
  return detect_partitions(operators);
}

/// Partitions that one more layer adds to a stage, in execution order.
///
/// A stage of L layers executes L times these, except at its two ends: its first partition has no communication to
/// hide and lacks what a previous layer would leave to it, and exactly that compute and that communication make up
/// the trailing partition. Counting every type L times therefore counts all work of the stage, once.
std::vector<FoundPartition> partitions_per_layer(const std::vector<Operator>& layer) {
  const std::vector<FoundPartition> of_three = partitions_of_layers(layer, 3);
  const std::size_t period = of_three.size() - partitions_of_layers(layer, 2).size();
  KAREUS_CHECK(period > 0 && 2 * period <= of_three.size());
  const auto second = of_three.begin() + static_cast<std::ptrdiff_t>(period);
  return {second, second + static_cast<std::ptrdiff_t>(period)};
}

/// Adds the communication to the names of types that share their compute with another one.
void name_types(std::vector<PartitionType>& types, Direction direction) {
  std::vector<std::string> segments;
  for (const PartitionType& type : types) segments.push_back(segment_name(type.compute));
  std::set<std::string> names;
  for (std::size_t i = 0; i < types.size(); ++i) {
    types[i].name = direction_prefix(direction) + segments[i];
    if (types[i].communication && std::count(segments.begin(), segments.end(), segments[i]) > 1) {
      types[i].name += communication_suffix(types[i].communication->kind);
    }
    KAREUS_CHECK(names.insert(types[i].name).second);
  }
}

std::vector<PartitionType> partition_types(const Workload& workload, Direction direction, const NominalRates& rates) {
  std::vector<PartitionType> types;
  const double samples = workload.microbatch_size / 2.0;
  for (FoundPartition& found : partitions_per_layer(layer_operators(workload, direction, samples))) {
    const auto known = std::find_if(types.begin(), types.end(), [&](const PartitionType& type) {
      return same_compute(type.compute, found.compute) && same_communication(type.communication, found.communication);
    });
    if (known != types.end()) {
      known->count_per_layer += 1;
      continue;
    }
    PartitionType type;
    type.direction = direction;
    type.slots = launch_slots(found.compute);
    type.searched_slots = searched_launch_slots(found, type.slots, rates);
    type.compute = std::move(found.compute);
    type.communication = std::move(found.communication);
    type.count_per_layer = 1;
    types.push_back(std::move(type));
  }
  name_types(types, direction);
  return types;
}

std::vector<std::string> names_of(const std::vector<PartitionType>& types) {
  std::vector<std::string> names;
  for (const PartitionType& type : types) names.push_back(type.name);
  return names;
}

void add_partitions(const Workload& workload, const NominalRates& rates, WorkloadParts& parts) {
  std::vector<PartitionType> forward = partition_types(workload, Direction::forward, rates);
  std::vector<PartitionType> backward = partition_types(workload, Direction::backward, rates);
  parts.forward.partitions = names_of(forward);
  parts.backward.partitions = names_of(backward);
  if (workload.activation_checkpointing) parts.backward.recomputed = parts.forward.partitions;
  parts.types = std::move(forward);
  parts.types.insert(parts.types.end(), std::make_move_iterator(backward.begin()),
                     std::make_move_iterator(backward.end()));
}

}  // namespace

WorkloadParts decompose(const Workload& workload, const NominalRates& rates) {
  WorkloadParts parts;
  const double samples = workload.microbatch_size;
  parts.forward.sequential_layer = layer_operators(workload, Direction::forward, samples);
  if (workload.activation_checkpointing) parts.backward.sequential_layer = parts.forward.sequential_layer;
  for (Operator& op : layer_operators(workload, Direction::backward, samples)) {
    parts.backward.sequential_layer.push_back(std::move(op));
  }
  // Without a peer there is no communication to hide, and nanobatches would only cost.
  const bool has_peers = workload.parallelism.gpus_per_stage() > 1;
  if (has_peers && workload.can_overlap()) add_partitions(workload, rates, parts);
  for (int stage = 0; stage < workload.parallelism.pipeline; ++stage) {
    parts.stage_forward.push_back(non_partition_work(workload, Direction::forward, stage));
    parts.stage_backward.push_back(non_partition_work(workload, Direction::backward, stage));
  }
  return parts;
}

}  // namespace kareus::workload
