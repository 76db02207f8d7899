#include "base/version.hpp"
#include "kareus/planner.hpp"

namespace kareus::planner {
namespace {

schedule::Provenance provenance(const workload::Workload& workload, const device::DeviceInfo& info,
                                const Options& options, std::string method) {
  return {.tool_version = kVersion,
          .workload = workload.name,
          .workload_hash = workload.hash(),
          .device = info.name,
          .method = std::move(method),
          .seed = options.seed};
}

}  // namespace

Result<PlanResult> plan(const workload::Workload& workload, const device::OpenDevice& open_device,
                        profile::Store& store, const Options& options) {
  auto measured = measure(workload, open_device, store, options);
  if (!measured) return tl::unexpected(std::move(measured).error());
  auto device = open_device(options.seed);
  if (!device) return tl::unexpected(std::move(device).error());
  const device::DeviceInfo info = (*device)->info();
  const workload::WorkloadParts parts = workload::decompose(workload, info.rates);

  const auto frontier_of = [&](bool overlapped, const std::string& method) -> Result<schedule::FrontierFile> {
    auto stages = stage_options(workload, parts, info, *measured, overlapped);
    if (!stages) return tl::unexpected(std::move(stages).error());
    return iteration_frontier(std::move(*stages), workload, measured->static_power, options.points,
                              provenance(workload, info, options, method), measured->static_power_at);
  };
  auto kareus = frontier_of(workload.can_overlap(), "kareus");
  if (!kareus) return tl::unexpected(std::move(kareus).error());
  auto perseus = frontier_of(false, "megatron-perseus");
  if (!perseus) return tl::unexpected(std::move(perseus).error());

  device::DeviceInfo highest_clock = info;
  highest_clock.clocks.resize(1);
  auto sequential = stage_options(workload, parts, highest_clock, *measured, false);
  if (!sequential) return tl::unexpected(std::move(sequential).error());
  auto megatron = megatron_point(*sequential, workload, measured->static_power,
                                 provenance(workload, info, options, "megatron"), measured->static_power_at);
  if (!megatron) return tl::unexpected(std::move(megatron).error());

  auto report = report_input(workload, **device, measured->measurements, *kareus, {*megatron, *perseus});
  if (!report) return tl::unexpected(std::move(report).error());
  return PlanResult{.kareus = std::move(*kareus),
                    .megatron = std::move(*megatron),
                    .megatron_perseus = std::move(*perseus),
                    .report = std::move(*report)};
}

}  // namespace kareus::planner
