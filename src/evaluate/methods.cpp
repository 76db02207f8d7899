#include <fmt/format.h>

#include "evaluate/provenance.hpp"
#include "kareus/evaluate.hpp"

namespace kareus::evaluate {
namespace {

struct Plan {
  const planner::Measured* measured;
  bool overlapped;
  bool chooses_clocks;
};

Plan plan_of(Method method, const Exhaustive& simulated) {
  switch (method) {
    case Method::megatron:
      return {&simulated.sequential, false, false};
    case Method::megatron_perseus:
      return {&simulated.sequential, false, true};
    case Method::nanobatching:
      return {&simulated.nanobatched, true, false};
    case Method::nanobatching_perseus:
      return {&simulated.nanobatched, true, true};
    case Method::kareus:
      return {&simulated.overlapped, true, true};
  }
  KAREUS_CHECK(false);
}

}  // namespace

std::string to_string(Method method) {
  switch (method) {
    case Method::megatron:
      return "megatron";
    case Method::megatron_perseus:
      return "megatron-perseus";
    case Method::nanobatching:
      return "nanobatching";
    case Method::nanobatching_perseus:
      return "nanobatching-perseus";
    case Method::kareus:
      return "kareus";
  }
  KAREUS_CHECK(false);
}

Result<schedule::FrontierFile> frontier_of(Method method, const workload::Workload& workload,
                                           const Exhaustive& simulated, std::size_t points) {
  const Plan plan = plan_of(method, simulated);
  if (plan.overlapped && method != Method::kareus && !workload.can_overlap()) {
    return fail(ErrorCode::bad_input, "a microbatch of one sequence cannot be split into nanobatches", workload.name,
                "raise microbatch_size, or use a method without nanobatches");
  }
  device::DeviceInfo info = simulated.info;
  if (!plan.chooses_clocks) info.clocks.resize(1);
  const bool overlapped = plan.overlapped && workload.can_overlap();
  auto stages = planner::stage_options(workload, simulated.parts, info, *plan.measured, overlapped);
  if (!stages) return tl::unexpected(std::move(stages).error());
  schedule::Provenance provenance = provenance_of(to_string(method), workload, info);
  const Watts static_power = plan.measured->static_power;
  if (method == Method::megatron) {
    return planner::megatron_point(*stages, workload, static_power, std::move(provenance));
  }
  return planner::iteration_frontier(std::move(*stages), workload, static_power, points, std::move(provenance));
}

}  // namespace kareus::evaluate
