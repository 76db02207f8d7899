#include "kareus/device.hpp"

namespace kareus::device {

std::vector<SmCount> DeviceInfo::sm_counts(int ranks) const {
  for (const SmGrant& grant : sm_grants) {
    if (ranks <= grant.max_ranks) return grant.counts;
  }
  return {};
}

}  // namespace kareus::device
