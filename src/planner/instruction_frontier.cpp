#include "kareus/instruction_frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/instruction_points.hpp"
#include "planner/long_points.hpp"
#include "planner/pipeline_group.hpp"

namespace kareus::planner {
namespace {

Result<void> check(const std::vector<InstructionProfile>& profiles, const InstructionFrontierOptions& options) {
  std::vector<Problem> problems;
  const auto require = [&](bool holds, std::string what, std::string hint = {}) {
    if (!holds) problems.push_back({"", std::move(what), std::move(hint)});
  };
  const auto finite = [](auto value) { return std::isfinite(value.si()) && value.si() >= 0; };
  require(!profiles.empty(), "there is no profile");
  require(options.order || options.microbatches >= 1, "the number of microbatches is not given",
          "a CSV does not say it: give --microbatches");
  require(finite(options.static_power), "the static power must be 0 or more and finite");
  require(finite(options.fixed.transfer) && finite(options.fixed.gradient_reduction) &&
              finite(options.fixed.optimizer_step) && finite(options.switch_latency),
          "fixed times must be 0 or more and finite");
  require(options.points >= 1, "at least one point must be asked for");
  require(finite(options.unit_time) && options.unit_time > Seconds(0), "the unit of time must be positive and finite");
  require(!options.parked || !options.static_power_at.empty(), "parking needs the static power at the parked clock",
          "give --static-power-at MHZ=W");
  for (const auto& [clock, power] : options.static_power_at) {
    require(finite(power), fmt::format("the static power at {} MHz must be 0 or more and finite", clock.mhz));
  }
  if (problems.empty()) return {};
  return tl::unexpected(Error{ErrorCode::usage, std::move(problems)});
}

Result<void> check_certificate(Seconds time, const pipeline::Certificate& certificate) {
  if (certificate.optimal()) return {};
  return fail(ErrorCode::internal,
              fmt::format("the curve at {} s is not certified: primal {} J, dual {} J{}{}", time.si(),
                          certificate.primal, certificate.dual, certificate.feasible ? "" : ", infeasible",
                          certificate.complementary ? "" : ", slack is not complementary"));
}

Result<void> check_points(const std::vector<InstructionPoint>& points) {
  for (const InstructionPoint& point : points) {
    KAREUS_RETURN_IF_ERROR(check_certificate(point.curve_time, point.certificate));
  }
  return {};
}

/// The whole curve, and points with real clocks on it.
Result<void> solve_whole(const PipelineGroup& group, const InstructionFrontierOptions& options,
                         const pipeline::CurveOptions& curve_options, InstructionFrontier& result) {
  auto curve = pipeline::Curve::solve(group.dag, group.curve, curve_options);
  if (!curve) return tl::unexpected(std::move(curve).error());
  result.curve = curve->breakpoints();
  const PointMaker maker(group, *curve, options);
  if (options.request) {
    auto point = maker.requested(*options.request, result.notes);
    if (!point) return tl::unexpected(std::move(point).error());
    result.points.push_back(std::move(*point));
  } else {
    result.points = maker.all();
  }
  KAREUS_RETURN_IF_ERROR(check_points(result.points));
  if (!options.verify) return {};
  if (const auto wrong = curve->first_uncertified()) {
    KAREUS_RETURN_IF_ERROR(check_certificate(result.curve[*wrong].time, curve->certify(*wrong)));
    return fail(ErrorCode::internal,
                fmt::format("the curve at {} s is not what its certificate proves", result.curve[*wrong].time.si()));
  }
  result.certified = result.curve.size();
  return {};
}

}  // namespace

std::pair<std::size_t, int> InstructionFrontier::pipeline_of(std::size_t stage) const {
  auto own = static_cast<int>(stage);
  std::size_t pipeline = 0;
  while (own >= pipeline_stages[pipeline]) own -= pipeline_stages[pipeline++];
  return {pipeline, own};
}

const std::vector<ProfileOption>& InstructionFrontier::options_at(std::size_t stage, std::size_t position) const {
  const auto [pipeline, own] = pipeline_of(stage);
  const pipeline::Operation& operation = order[stage][position];
  return options[pipeline].at({own, operation.chunk, operation.kind});
}

InstructionFrontierOptions default_options(const InstructionProfile& profile) {
  InstructionFrontierOptions options;
  options.schedule = profile.settings.schedule.value_or(options.schedule);
  options.microbatches = profile.settings.microbatches.value_or(options.microbatches);
  options.static_power = profile.settings.static_power.value_or(options.static_power);
  options.unit_time = profile.settings.unit_time.value_or(options.unit_time);
  options.noise_factor = profile.settings.noise_factor.value_or(options.noise_factor);
  options.chunks = profile.chunks;
  return options;
}

Result<InstructionFrontier> solve_instruction_frontier(const std::vector<InstructionProfile>& profiles,
                                                       const InstructionFrontierOptions& options) {
  KAREUS_RETURN_IF_ERROR(check(profiles, options));
  auto group = make_group(profiles, options);
  if (!group) return tl::unexpected(std::move(group).error());
  const bool straggler = options.request && std::holds_alternative<AtStraggler>(*options.request);
  pipeline::CurveOptions curve_options;
  if (!options.full && !straggler) {
    curve_options.least_slope = options.static_power * static_cast<double>(group->order.size());
  }
  InstructionFrontier result;
  result.notes = std::move(group->notes);
  if (is_long(profiles, options)) {
    KAREUS_RETURN_IF_ERROR(solve_long(*group, options, curve_options, result));
    KAREUS_RETURN_IF_ERROR(check_points(result.points));
    result.certified = options.verify ? result.curve.size() : 0;
  } else {
    KAREUS_RETURN_IF_ERROR(solve_whole(*group, options, curve_options, result));
  }
  for (const InstructionProfile& profile : profiles) result.profiles.push_back(profile.name);
  result.schedule = options.order ? "order" : options.schedule;
  result.cost_model = options.cost_model;
  result.static_power = options.static_power;
  result.pipeline_stages = std::move(group->stages);
  result.order = std::move(group->order);
  result.options = std::move(group->options);
  return result;
}

}  // namespace kareus::planner
