#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
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

/// Marks the points that no other of the type beats in time and total, or in time and dynamic, energy.
void mark_frontiers(std::vector<report::PartitionPoint>& points) {
  for (const bool dynamic : {false, true}) {
    std::vector<frontier::Cost> costs;
    for (const report::PartitionPoint& point : points) {
      costs.push_back({.time = point.time, .effective_energy = dynamic ? point.dynamic_energy : point.energy});
    }
    for (const std::size_t index : frontier::pareto_front(costs)) points[index].on_frontier = true;
  }
}

std::vector<report::PartitionFrontier> partition_frontiers(const workload::WorkloadParts& parts,
                                                           const device::DeviceInfo& info, const Measured& measured) {
  std::vector<report::PartitionFrontier> frontiers;
  for (const workload::PartitionType& type : parts.types) {
    report::PartitionFrontier frontier{
        .type = type.name, .space_size = partition_space(type, info).candidates.size(), .points = {}};
    for (const profile::Measurement& measurement : measured.measurements) {
      if (measurement.work != type.name || !measurement.usable() || !measurement.execution.config) continue;
      frontier.points.push_back({.clock = measurement.execution.clock,
                                 .config = *measurement.execution.config,
                                 .time = measurement.time,
                                 .energy = measurement.energy,
                                 .dynamic_energy = measurement.effective_energy(measured.static_power),
                                 .found_by = measurement.found_by,
                                 .on_frontier = false});
    }
    mark_frontiers(frontier.points);
    frontiers.push_back(std::move(frontier));
  }
  return frontiers;
}

std::string parallelism_text(const workload::Workload& workload) {
  const workload::Parallelism& p = workload.parallelism;
  return fmt::format("tensor {} x context {} x pipeline {} x data {} = {} GPUs", p.tensor, p.context, p.pipeline,
                     p.data, p.gpus_per_stage() * p.pipeline * p.data);
}

std::vector<std::pair<std::string, std::string>> facts(const workload::Workload& workload,
                                                       const device::DeviceInfo& info, const Measured& measured) {
  Seconds spent;
  std::size_t failed = 0;
  std::size_t throttled = 0;
  for (const profile::Measurement& measurement : measured.measurements) {
    spent += measurement.spent;
    failed += measurement.usable() ? 0 : 1;
    throttled += measurement.status == profile::Status::throttled ? 1 : 0;
  }
  const workload::ModelShape& model = workload.model;
  return {
      {"Model", fmt::format("{}: {} layers, hidden {}, {} heads ({} KV)", model.architecture, model.layers,
                            model.hidden, model.heads, model.kv_heads)},
      {"Device", info.name},
      {"Parallelism", parallelism_text(workload)},
      {"Iteration", fmt::format("{} microbatches of {} x {} tokens, 1F1B, activation checkpointing {}",
                                workload.microbatches, workload.microbatch_size, workload.sequence_length,
                                workload.activation_checkpointing ? "on" : "off")},
      {"Static power", human(measured.static_power) + " per GPU (measured)"},
      {"Measurements", fmt::format("{} ({} throttled, {} failed)", measured.measurements.size(), throttled, failed)},
      {"Profiling cost", fmt::format("{} on one stage's {} GPUs", human(spent), workload.parallelism.gpus_per_stage())},
  };
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
                              provenance(workload, info, options, method));
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
                                 provenance(workload, info, options, "megatron"));
  if (!megatron) return tl::unexpected(std::move(megatron).error());

  report::ReportInput report{.title = workload.name,
                             .facts = facts(workload, info, *measured),
                             .kareus = *kareus,
                             .baselines = {*megatron, *perseus},
                             .partitions = partition_frontiers(parts, info, *measured)};
  return PlanResult{.kareus = std::move(*kareus),
                    .megatron = std::move(*megatron),
                    .megatron_perseus = std::move(*perseus),
                    .report = std::move(report)};
}

}  // namespace kareus::planner
