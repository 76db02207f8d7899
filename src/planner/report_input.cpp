#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "kareus/planner.hpp"
#include "planner/works.hpp"

namespace kareus::planner {
namespace {

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

/// What runs when in the configurations on the frontiers; all of them would be too much to show.
Result<void> trace_frontier(report::PartitionFrontier& frontier, const device::Device& device,
                            const device::Work& work) {
  for (report::PartitionPoint& point : frontier.points) {
    if (!point.on_frontier) continue;
    auto trace = device.trace(work, {.clock = point.clock, .config = point.config});
    if (!trace) return tl::unexpected(std::move(trace).error());
    point.trace = std::move(*trace);
  }
  return {};
}

Result<std::vector<report::PartitionFrontier>> partition_frontiers(
    const workload::WorkloadParts& parts, const device::Device& device,
    const std::vector<profile::Measurement>& measurements, Watts static_power) {
  std::vector<report::PartitionFrontier> frontiers;
  for (const workload::PartitionType& type : parts.types) {
    report::PartitionFrontier frontier{.type = type.name,
                                       .space_size = partition_space(type, device.info()).candidates.size(),
                                       .kernels = {},
                                       .points = {}};
    for (const workload::Operator& op : type.compute) frontier.kernels.push_back(op.name);
    for (const profile::Measurement& measurement : measurements) {
      if (measurement.work != type.name || !measurement.usable() || !measurement.execution.config) continue;
      frontier.points.push_back({.clock = measurement.execution.clock,
                                 .config = *measurement.execution.config,
                                 .time = measurement.time,
                                 .energy = measurement.energy,
                                 .dynamic_energy = measurement.effective_energy(static_power),
                                 .found_by = measurement.found_by,
                                 .on_frontier = false});
    }
    mark_frontiers(frontier.points);
    KAREUS_RETURN_IF_ERROR(trace_frontier(frontier, device, partition_work(type)));
    frontiers.push_back(std::move(frontier));
  }
  return frontiers;
}

std::string parallelism_text(const workload::Workload& workload) {
  const workload::Parallelism& p = workload.parallelism;
  return fmt::format("tensor {} x context {} x pipeline {} x data {} = {} GPUs", p.tensor, p.context, p.pipeline,
                     p.data, p.gpus_per_stage() * p.pipeline * p.data);
}

std::string static_power_text(const schedule::FrontierFile& frontier) {
  const schedule::PowerByClock& table = frontier.static_power_at;
  if (table.empty()) return human(frontier.static_power);
  const auto at = [](const auto& row) { return fmt::format("{} at {} MHz", human(row.second), row.first.mhz); };
  return fmt::format("{} to {}", at(*table.begin()), at(*table.rbegin()));
}

std::vector<std::pair<std::string, std::string>> facts(const workload::Workload& workload,
                                                       const device::DeviceInfo& info,
                                                       const std::vector<profile::Measurement>& measurements,
                                                       const std::string& static_power) {
  // Summed by work first: families were measured in any order, and sums of doubles depend on theirs.
  std::map<std::string, Seconds> spent_on;
  std::size_t count = 0;
  std::size_t failed = 0;
  std::size_t throttled = 0;
  std::size_t censored = 0;
  for (const profile::Measurement& measurement : measurements) {
    if (measurement.work == "static_power") continue;
    spent_on[measurement.work] += measurement.spent;
    count += 1;
    failed += measurement.status == profile::Status::failed ? 1 : 0;
    censored += measurement.status == profile::Status::censored ? 1 : 0;
    throttled += measurement.status == profile::Status::throttled ? 1 : 0;
  }
  Seconds spent;
  for (const auto& [work, time] : spent_on) spent += time;
  const workload::ModelShape& model = workload.model;
  return {
      {"Model", fmt::format("{}: {} layers, hidden {}, {} heads ({} KV)", model.architecture, model.layers,
                            model.hidden, model.heads, model.kv_heads)},
      {"Device", info.name},
      {"Parallelism", parallelism_text(workload)},
      {"Iteration", fmt::format("{} microbatches of {} x {} tokens, 1F1B, activation checkpointing {}",
                                workload.microbatches, workload.microbatch_size, workload.sequence_length,
                                workload.activation_checkpointing ? "on" : "off")},
      {"Static power", static_power + " per GPU (measured)"},
      {"Measurements", fmt::format("{} ({} throttled, {} cut short, {} failed)", count, throttled, censored, failed)},
      {"Profiling cost", fmt::format("{} on one stage's {} GPUs", human(spent), workload.parallelism.gpus_per_stage())},
  };
}

}  // namespace

Result<report::ReportInput> report_input(const workload::Workload& workload, const device::Device& device,
                                         const std::vector<profile::Measurement>& measurements,
                                         schedule::FrontierFile kareus, std::vector<schedule::FrontierFile> baselines) {
  const Watts static_power = kareus.static_power;
  const workload::WorkloadParts parts = workload::decompose(workload, device.info().rates);
  auto partitions = partition_frontiers(parts, device, measurements, static_power);
  if (!partitions) return tl::unexpected(std::move(partitions).error());
  return report::ReportInput{.title = workload.name,
                             .facts = facts(workload, device.info(), measurements, static_power_text(kareus)),
                             .kareus = std::move(kareus),
                             .baselines = std::move(baselines),
                             .partitions = std::move(*partitions)};
}

}  // namespace kareus::planner
