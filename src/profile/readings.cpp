#include "profile/readings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kareus::profile {

bool is_duration(Seconds time) {
  return std::isfinite(time.si()) && time > Seconds(0.0);
}

tl::expected<Joules, std::string> counted(Joules before, Joules after) {
  if (!std::isfinite(before.si()) || !std::isfinite(after.si())) {
    return tl::unexpected<std::string>("the energy counter gave no finite number");
  }
  if (after == before) return tl::unexpected<std::string>("the energy counter did not move");
  if (after < before) {
    return tl::unexpected(fmt::format("the energy counter went back from {} J to {} J", before.si(), after.si()));
  }
  return after - before;
}

Result<device::RunResult> Runner::run(long repetitions) {
  if (repetitions == 0) return device::RunResult{};
  auto result = device_.run(work_, execution_, repetitions);
  // Such an error says something about the configuration and not about the device.
  refused_ = !result && (result.error().code == ErrorCode::bad_input || result.error().code == ErrorCode::infeasible);
  return result;
}

}  // namespace kareus::profile
