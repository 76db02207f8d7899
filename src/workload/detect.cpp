#include <utility>

#include "kareus/partition.hpp"

namespace kareus::workload {
namespace {

/// Compute operators up to the next communication, and that communication.
struct Segment {
  std::vector<Operator> compute;
  std::optional<Operator> communication;
};

bool can_fuse(const Operator& a, const Operator& b) {
  return a.kind == b.kind && a.group == b.group && a.ranks == b.ranks && a.direction == b.direction;
}

/// One kernel that does both: it shares one allocation of SMs (section 4.5).
void fuse(Operator& into, const Operator& other) {
  into.name += "+" + other.name;
  into.work += other.work;
  into.traffic += other.traffic;
  into.message += other.message;
}

/// The last segment has no communication; it is empty when the list ends with one.
std::vector<Segment> cut_at_communication(const std::vector<Operator>& operators) {
  std::vector<Segment> segments(1);
  for (const Operator& op : operators) {
    if (!is_communication(op.kind)) {
      segments.back().compute.push_back(op);
      continue;
    }
    const bool follows_another = segments.back().compute.empty() && segments.size() > 1;
    if (follows_another && can_fuse(*segments[segments.size() - 2].communication, op)) {
      fuse(*segments[segments.size() - 2].communication, op);
    } else {
      segments.back().communication = op;
      segments.emplace_back();
    }
  }
  return segments;
}

}  // namespace

std::vector<FoundPartition> detect_partitions(const std::vector<Operator>& operators) {
  std::vector<FoundPartition> partitions;
  const auto emit = [&](const std::vector<Operator>& compute, const std::optional<Operator>& communication) {
    if (!compute.empty() || communication) partitions.push_back({compute, communication});
  };
  // While the first nanobatch computes a segment, the second waits for the communication of the segment before; then
  // they change places. So a nanobatch's communication always has a whole segment of the other one to hide behind.
  std::optional<Operator> of_second;
  for (const Segment& segment : cut_at_communication(operators)) {
    emit(segment.compute, of_second);
    emit(segment.compute, segment.communication);
    of_second = segment.communication;
  }
  return partitions;
}

}  // namespace kareus::workload
