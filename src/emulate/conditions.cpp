#include "emulate/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "base/text.hpp"

namespace kareus::emulate {

Result<void> check_conditions(const schedule::Plan& plan, const Conditions& conditions) {
  std::vector<Problem> problems;
  const auto require = [&](bool holds, std::string what, std::string hint = {}) {
    if (!holds) problems.push_back({"", std::move(what), std::move(hint)});
  };
  const auto duration = [&](Seconds value, const char* what) {
    require(std::isfinite(value.si()) && value >= Seconds(0), fmt::format("{} must be 0 or more and finite", what));
  };
  duration(conditions.transfer, "the transfer time");
  duration(conditions.end_of_iteration, "the time at the end of an iteration");
  duration(conditions.switch_latency, "the switch latency");
  require(conditions.pipelines >= 0, "the number of pipelines must not be negative");
  require(conditions.jitter >= 0 && conditions.jitter < 0.25, "the jitter must be 0 or more and less than 0.25");
  require(conditions.jitter_streams >= 1, "there must be at least one stream of jitter");
  require(!conditions.parked || conditions.static_power, "parking needs the static power by clock", "name the device");
  const int pipelines = conditions.pipelines > 0 ? conditions.pipelines : plan.pipelines;
  for (const Straggler& one : conditions.stragglers) {
    require(one.pipeline >= 0 && one.pipeline < pipelines,
            fmt::format("a straggler is in pipeline {} of {}", one.pipeline, pipelines), "pipelines count from 0");
    require(one.stage >= 0 && static_cast<std::size_t>(one.stage) < plan.stages.size(),
            fmt::format("a straggler is in stage {} of {}", one.stage, plan.stages.size()), "stages count from 0");
    require(std::isfinite(one.slowdown) && one.slowdown >= 1.0, "a straggler is slower: its factor is at least 1");
  }
  if (problems.empty()) return {};
  return tl::unexpected(Error{ErrorCode::usage, std::move(problems)});
}

double jitter_factor(const Conditions& conditions, int stream, std::size_t stage, std::size_t position, int gpus) {
  if (conditions.jitter == 0) return 1.0;
  double slowest = 0;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const std::uint64_t seed =
        derive_seed(conditions.seed, fmt::format("jitter/{}/{}/{}/{}", stream, stage, position, gpu));
    const auto [radius, angle] = normal_pair(open_uniform(seed), open_uniform(derive_seed(seed, "angle")));
    const double normal = radius * std::cos(angle);
    slowest = std::max(slowest, 1.0 + conditions.jitter * std::clamp(normal, -4.0, 4.0));
  }
  return slowest;
}

}  // namespace kareus::emulate
