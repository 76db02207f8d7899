#include <algorithm>
#include <map>

#include "kareus/partition.hpp"

namespace kareus::workload {
namespace {

/// Time of the operators [first, last) when each runs at the rate that bounds it.
Seconds nominal_time(const std::vector<Operator>& compute, std::size_t first, std::size_t last,
                     const NominalRates& rates) {
  Seconds time;
  for (std::size_t i = first; i < last; ++i) {
    time += std::max(compute[i].work / rates.compute, compute[i].traffic / rates.memory);
  }
  return time;
}

/// What a rank must send over its links at least: a ring or a direct exchange of a buffer of n parts sends n-1 of
/// them to gather or to scatter, and both in turn to reduce to all.
Bytes wire_bytes(const Operator& communication) {
  const double ranks = communication.ranks;
  const double passes = communication.kind == OperatorKind::all_reduce ? 2.0 : 1.0;
  return communication.message * (passes * (ranks - 1) / ranks);
}

}  // namespace

std::vector<LaunchSlot> launch_slots(const std::vector<Operator>& compute) {
  std::vector<LaunchSlot> slots;
  std::map<OperatorKind, int> count;
  for (std::size_t i = 0; i < compute.size(); ++i) {
    const OperatorKind kind = compute[i].kind;
    if (i > 0 && is_memory_bound(kind) && compute[i - 1].kind == kind) continue;
    slots.push_back({.name = to_string(kind) + "_" + std::to_string(count[kind]++), .first_operator = i});
  }
  return slots;
}

std::vector<std::size_t> searched_launch_slots(const FoundPartition& partition, const std::vector<LaunchSlot>& slots,
                                               const NominalRates& rates) {
  std::vector<std::size_t> searched;
  if (!partition.communication) return searched;
  std::vector<OperatorKind> seen;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const OperatorKind kind = partition.compute[slots[i].first_operator].kind;
    if (std::count(seen.begin(), seen.end(), kind) > 0) continue;
    seen.push_back(kind);
    searched.push_back(i);
  }
  if (searched.size() > 1 && searched.back() + 1 == slots.size()) {
    const Seconds hidden =
        nominal_time(partition.compute, slots.back().first_operator, partition.compute.size(), rates);
    if (wire_bytes(*partition.communication) / rates.link > hidden) searched.pop_back();
  }
  return searched;
}

}  // namespace kareus::workload
