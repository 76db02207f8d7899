#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/version.hpp"
#include "kareus/pipeline.hpp"
#include "kareus/planner.hpp"
#include "planner/instructions.hpp"
#include "planner/works.hpp"

namespace kareus::planner {
namespace {

/// Measures what imported instructions need and adds it up per instruction.
class InstructionCosts {
 public:
  InstructionCosts(const workload::Workload& workload, const workload::WorkloadParts& parts,
                   profile::Profiler& profiler, const device::InSitu& in_situ)
      : workload_(workload), parts_(parts), profiler_(profiler), in_situ_(in_situ) {}

  Result<schedule::PlannedInstruction> cost(std::size_t stage, const schedule::Instruction& position,
                                            const schedule::ImportedInstruction& imported) {
    const bool forward = imported.kind == schedule::InstructionKind::forward;
    const workload::InstructionWork& work = forward ? parts_.forward : parts_.backward;
    const auto direction = forward ? workload::Direction::forward : workload::Direction::backward;
    const int layers = workload_.layers_per_stage[stage];
    schedule::PlannedInstruction planned{.instruction = position, .time = {}, .energy = {}, .schedule = {}};
    planned.schedule.clock = imported.clock;
    for (const workload::NonPartitionWork& part : (forward ? parts_.stage_forward : parts_.stage_backward)[stage]) {
      KAREUS_RETURN_IF_ERROR(add_sequential(planned, non_partition_work(direction, part), 1.0));
    }
    if (imported.partitions.empty()) {
      planned.schedule.sequential = true;
      KAREUS_RETURN_IF_ERROR(add_sequential(planned, sequential_work(direction, work), layers));
      return planned;
    }
    KAREUS_RETURN_IF_ERROR(
        add_types(planned, imported.recomputed, work.recomputed, layers, planned.schedule.recomputed));
    KAREUS_RETURN_IF_ERROR(
        add_types(planned, imported.partitions, work.partitions, layers, planned.schedule.partitions));
    return planned;
  }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Configs = std::vector<std::pair<std::string, schedule::PartitionConfig>>;

  Result<void> add_types(schedule::PlannedInstruction& planned, const Configs& configs,
                         const std::vector<std::string>& expected, int layers,
                         std::map<std::string, schedule::PartitionConfig>& into) {
    for (const auto& [name, config] : configs) into[name] = config;
    for (const std::string& name : expected) {
      const auto config = into.find(name);
      if (config == into.end()) {
        return fail(ErrorCode::bad_input, fmt::format("the plan has no configuration for partition type {}", name),
                    "plan", "choose the workload that the plan was made for");
      }
      const auto type = std::find_if(parts_.types.begin(), parts_.types.end(),
                                     [&, &wanted = name](const auto& other) { return other.name == wanted; });
      KAREUS_CHECK(type != parts_.types.end());
      keep_to_slots(*type, config->second);
      const double count = type->count_per_layer * layers;
      KAREUS_RETURN_IF_ERROR(add(planned, partition_work(*type), {planned.schedule.clock, config->second}, count));
      wait(planned, in_situ_.partition_cost * count);
    }
    if (into.size() != expected.size()) {
      return fail(ErrorCode::bad_input,
                  fmt::format("the plan configures {} partition types where the workload has {}: {}", into.size(),
                              expected.size(), join_words(expected)),
                  "plan", "choose the workload that the plan was made for");
    }
    return {};
  }

  /// Older plans cut partitions elsewhere and may launch with an operator that now follows the partition: that is
  /// after all of its compute.
  void keep_to_slots(const workload::PartitionType& type, schedule::PartitionConfig& config) {
    const bool known = std::any_of(type.slots.begin(), type.slots.end(),
                                   [&](const workload::LaunchSlot& slot) { return slot.name == config.launch_slot; });
    if (known || config.launch_slot == schedule::kNoSlot) return;
    const std::string note =
        fmt::format("{} has no launch slot {}: launched after all its compute", type.name, config.launch_slot);
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    config.launch_slot = schedule::kNoSlot;
  }

  /// Time that in-situ execution adds.
  void wait(schedule::PlannedInstruction& planned, Seconds time) {
    planned.time += time;
    planned.energy += in_situ_.power * time;
  }

  Result<void> add_sequential(schedule::PlannedInstruction& planned, const device::Work& work, double count) {
    const Seconds before = planned.time;
    KAREUS_RETURN_IF_ERROR(add(planned, work, {planned.schedule.clock, {}}, count));
    wait(planned, (planned.time - before) * (in_situ_.sequential_factor - 1.0));
    return {};
  }

  Result<void> add(schedule::PlannedInstruction& planned, const device::Work& work, const device::Execution& execution,
                   double count) {
    auto measurement = profiler_.measure(work, execution, "import");
    if (!measurement) return tl::unexpected(std::move(measurement).error());
    if (!measurement->usable()) {
      return fail(ErrorCode::device, fmt::format("cannot measure {}: {}", work.name, measurement->message));
    }
    planned.time += measurement->time * count;
    planned.energy += measurement->energy * count;
    return {};
  }

  const workload::Workload& workload_;
  const workload::WorkloadParts& parts_;
  profile::Profiler& profiler_;
  device::InSitu in_situ_;
  std::vector<std::string> notes_;
};

Result<void> check_shape(const schedule::ImportedPlan& imported,
                         const std::vector<std::vector<schedule::Instruction>>& order) {
  std::vector<Problem> problems;
  if (imported.stages.size() != order.size()) {
    problems.push_back({"plan", fmt::format("has {} stages, the workload has {}", imported.stages.size(), order.size()),
                        "choose the workload that the plan was made for"});
  }
  for (std::size_t stage = 0; stage < std::min(imported.stages.size(), order.size()); ++stage) {
    const auto& instructions = imported.stages[stage];
    const auto differs = [&](std::size_t i) { return instructions[i].kind != order[stage][i].kind; };
    if (instructions.size() != order[stage].size()) {
      problems.push_back({fmt::format("plan, stage {}", stage),
                          fmt::format("has {} instructions, 1F1B has {}", instructions.size(), order[stage].size()),
                          "set `microbatches` of the workload to the plan's"});
      continue;
    }
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      if (differs(i)) {
        problems.push_back({fmt::format("plan, stage {}, instruction {}", stage, i),
                            fmt::format("is a {} where 1F1B has a {}", to_string(instructions[i].kind),
                                        to_string(order[stage][i].kind)),
                            ""});
        break;
      }
    }
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return {};
}

}  // namespace

Result<RetimedPlan> retime(const schedule::ImportedPlan& imported, const workload::Workload& workload,
                           const device::OpenDevice& open_device, profile::Store& store, const Options& options,
                           Watts published_static_power) {
  const auto operations = pipeline::one_forward_one_backward(workload.parallelism.pipeline, workload.microbatches);
  const auto order = instructions_of(operations);
  KAREUS_RETURN_IF_ERROR(check_shape(imported, order));
  auto dag = pipeline::build_dag(operations);
  if (!dag) return tl::unexpected(std::move(dag).error());
  auto device = open_device(derive_seed(options.seed, "device/import"));
  if (!device) return tl::unexpected(std::move(device).error());
  auto profiler = profile::Profiler::create(**device, store, options.protocol, "import");
  if (!profiler) return tl::unexpected(std::move(profiler).error());
  const device::DeviceInfo& info = (*device)->info();
  auto static_power = profiler->static_power(info.clocks.front());
  if (!static_power) return tl::unexpected(std::move(static_power).error());
  const workload::WorkloadParts parts = workload::decompose(workload, info.rates);

  RetimedPlan result;
  schedule::Plan& plan = result.plan;
  plan.provenance = {.tool_version = kVersion,
                     .workload = workload.name,
                     .workload_hash = workload.hash(),
                     .device = info.name,
                     .method = "imported",
                     .seed = options.seed};
  plan.gpus_per_stage = workload.parallelism.gpus_per_stage();
  plan.pipelines = workload.parallelism.data;
  plan.static_power = *static_power;
  InstructionCosts costs(workload, parts, *profiler, info.in_situ);
  Joules effective;
  for (std::size_t stage = 0; stage < order.size(); ++stage) {
    plan.stages.emplace_back();
    for (std::size_t i = 0; i < order[stage].size(); ++i) {
      auto planned = costs.cost(stage, order[stage][i], imported.stages[stage][i]);
      if (!planned) return tl::unexpected(std::move(planned).error());
      effective += planned->energy - *static_power * planned->time;
      plan.stages.back().push_back(std::move(*planned));
    }
  }
  KAREUS_RETURN_IF_ERROR(profiler->finish());
  result.notes = costs.notes();
  std::vector<Seconds> durations;
  for (const pipeline::Dag::Node& node : dag->nodes) {
    durations.push_back(
        plan.stages[static_cast<std::size_t>(node.stage)][static_cast<std::size_t>(node.position)].time);
  }
  plan.time = pipeline::earliest_times(*dag, durations).makespan;
  const auto energy = frontier::iteration_energy(effective, workload.parallelism.pipeline, *static_power, plan.time);
  plan.energy = energy.total;
  plan.static_energy = energy.static_energy;
  plan.dynamic_energy = energy.dynamic_energy;
  if (imported.effective_energy_j && imported.total_energy_j) {
    // The published files hold no time: it follows from their two energies and the static power they were made with.
    const Joules static_part(*imported.total_energy_j - *imported.effective_energy_j);
    result.published_time = static_part / (published_static_power * static_cast<double>(order.size()));
    result.published_energy = Joules(*imported.total_energy_j);
  }
  return result;
}

}  // namespace kareus::planner
