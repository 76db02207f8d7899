#pragma once

#include <string>

#include "base/version.hpp"
#include "kareus/device.hpp"
#include "kareus/schedule.hpp"
#include "kareus/workload.hpp"

namespace kareus::evaluate {

inline schedule::Provenance provenance_of(std::string method, const workload::Workload& workload,
                                          const device::DeviceInfo& info) {
  return {.tool_version = kVersion,
          .workload = workload.name,
          .workload_hash = workload.hash(),
          .device = info.name,
          .method = std::move(method),
          .seed = 0};
}

}  // namespace kareus::evaluate
