#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kareus/instruction_frontier.hpp"

/// What is accepted must be a profile without holes and with finite positive costs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto profile = kareus::planner::parse_profile({reinterpret_cast<const char*>(data), size}, "profile");
  if (!profile) {
    if (profile.error().problems.empty()) std::abort();
    return 0;
  }
  if (profile->stages < 1 || profile->chunks < 1 || profile->instructions.empty()) std::abort();
  int next_stage = 0;
  for (const auto& [name, options] : profile->instructions) {
    if (name.stage > next_stage || name.stage >= profile->stages || name.chunk >= profile->chunks) std::abort();
    next_stage = name.stage + 1;
    if (options.empty()) std::abort();
    for (const auto& option : options) {
      if (!(option.time.si() > 0) || !std::isfinite(option.time.si())) std::abort();
      if (!(option.energy.si() > 0) || !std::isfinite(option.energy.si()) || option.clock.mhz < 1) std::abort();
    }
  }
  if (next_stage != profile->stages) std::abort();
  return 0;
}
