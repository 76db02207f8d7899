#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kareus/planner.hpp"
#include "planner/works.hpp"

namespace kareus::planner {
namespace {

/// Usable measurements by work and clock.
class Table {
 public:
  Table(const Measured& measured, const device::InSitu& in_situ)
      : static_power_(measured.static_power), in_situ_(in_situ) {
    for (const profile::Measurement& measurement : measured.measurements) {
      if (measurement.usable()) by_work_[measurement.work][measurement.execution.clock].push_back(&measurement);
    }
  }

  frontier::Cost cost(const profile::Measurement& measurement) const {
    return {.time = measurement.time, .effective_energy = measurement.effective_energy(static_power_)};
  }

  std::vector<frontier::TypeOptions::Option> options(const std::string& type, Clock clock) const {
    std::vector<frontier::TypeOptions::Option> result;
    for (const profile::Measurement* measurement : at(type, clock)) {
      if (measurement->execution.config) {
        frontier::Cost whole = cost(*measurement);
        add_in_situ(whole, in_situ_.partition_cost);
        result.push_back({.config = *measurement->execution.config, .cost = whole});
      }
    }
    return result;
  }

  std::optional<frontier::Cost> configured(const std::string& type, Clock clock,
                                           const schedule::PartitionConfig& config) const {
    for (const profile::Measurement* measurement : at(type, clock)) {
      if (measurement->execution.config != config) continue;
      frontier::Cost whole = cost(*measurement);
      add_in_situ(whole, in_situ_.partition_cost);
      return whole;
    }
    return std::nullopt;
  }

  /// Cost of a work that is executed sequentially; nothing when it was not measured at this clock.
  std::optional<frontier::Cost> fixed(const std::string& work, Clock clock) const {
    const auto found = at(work, clock);
    if (found.empty()) return std::nullopt;
    frontier::Cost whole = cost(*found.front());
    add_in_situ(whole, whole.time * (in_situ_.sequential_factor - 1.0));
    return whole;
  }

 private:
  void add_in_situ(frontier::Cost& cost, Seconds time) const {
    cost.time += time;
    cost.effective_energy += (in_situ_.power - static_power_) * time;
  }

  std::vector<const profile::Measurement*> at(const std::string& work, Clock clock) const {
    const auto by_clock = by_work_.find(work);
    if (by_clock == by_work_.end()) return {};
    const auto found = by_clock->second.find(clock);
    return found == by_clock->second.end() ? std::vector<const profile::Measurement*>{} : found->second;
  }

  Watts static_power_;
  device::InSitu in_situ_;
  std::map<std::string, std::map<Clock, std::vector<const profile::Measurement*>>> by_work_;
};

struct Instruction {
  workload::Direction direction;
  const workload::InstructionWork* work;
  const std::vector<workload::NonPartitionWork>* non_partition;
  int layers;
};

frontier::Cost add(frontier::Cost a, frontier::Cost b, double count) {
  return {.time = a.time + b.time * count, .effective_energy = a.effective_energy + b.effective_energy * count};
}

double count_of(const workload::WorkloadParts& parts, const std::string& type) {
  const auto found = std::find_if(parts.types.begin(), parts.types.end(),
                                  [&](const workload::PartitionType& other) { return other.name == type; });
  KAREUS_CHECK(found != parts.types.end());
  return found->count_per_layer;
}

frontier::ClockOptions options_at(Clock clock, const Instruction& instruction, const workload::WorkloadParts& parts,
                                  const Table& table, bool overlapped, bool& complete) {
  frontier::ClockOptions options{.clock = clock, .types = {}, .non_partition = {}, .sequential = {}};
  complete = true;
  for (const workload::NonPartitionWork& work : *instruction.non_partition) {
    const auto cost = table.fixed(non_partition_work(instruction.direction, work).name, clock);
    if (!cost) {
      complete = false;
      return options;
    }
    options.non_partition = add(options.non_partition, *cost, 1.0);
  }
  const auto layer = table.fixed(sequential_work(instruction.direction, *instruction.work).name, clock);
  if (layer) options.sequential = add(options.non_partition, *layer, instruction.layers);
  if (!overlapped) return options;
  const auto add_types = [&](const std::vector<std::string>& names, bool recomputed) {
    for (const std::string& name : names) {
      options.types.push_back({.type = name,
                               .recomputed = recomputed,
                               .count = count_of(parts, name) * instruction.layers,
                               .options = table.options(name, clock)});
    }
  };
  add_types(instruction.work->recomputed, true);
  add_types(instruction.work->partitions, false);
  return options;
}

Result<std::vector<schedule::InstructionOption>> instruction_options(const Instruction& instruction,
                                                                     const workload::WorkloadParts& parts,
                                                                     const device::DeviceInfo& device,
                                                                     const Table& table, const Measured& measured,
                                                                     bool overlapped) {
  std::vector<frontier::ClockOptions> clocks;
  for (const Clock clock : device.clocks) {
    bool complete = false;
    frontier::ClockOptions options = options_at(clock, instruction, parts, table, overlapped, complete);
    if (complete) clocks.push_back(std::move(options));
  }
  auto options = frontier::microbatch_frontier(clocks, measured.static_power);
  if (options.empty()) {
    return fail(ErrorCode::bad_input,
                fmt::format("no usable measurement of a whole {} instruction", to_string(instruction.direction)),
                "measurements", "look at the failed measurements in the store; their messages say why");
  }
  return options;
}

/// What a schedule of an instruction costs; nothing when a part of it was not measured.
std::optional<frontier::Cost> cost_of(const schedule::MicrobatchSchedule& schedule, const Instruction& instruction,
                                      const workload::WorkloadParts& parts, const Table& table) {
  frontier::Cost sum;
  const auto include = [&](const std::optional<frontier::Cost>& part, double count) {
    if (part) sum = add(sum, *part, count);
    return part.has_value();
  };
  for (const workload::NonPartitionWork& work : *instruction.non_partition) {
    if (!include(table.fixed(non_partition_work(instruction.direction, work).name, schedule.clock), 1.0)) return {};
  }
  if (schedule.sequential) {
    const auto layer = table.fixed(sequential_work(instruction.direction, *instruction.work).name, schedule.clock);
    return include(layer, instruction.layers) ? std::optional(sum) : std::nullopt;
  }
  for (const auto* configs : {&schedule.recomputed, &schedule.partitions}) {
    for (const auto& [type, config] : *configs) {
      const double count = count_of(parts, type) * instruction.layers;
      if (!include(table.configured(type, schedule.clock, config), count)) return {};
    }
  }
  return sum;
}

}  // namespace

Result<std::vector<schedule::StageOptions>> recost(std::vector<schedule::StageOptions> stages,
                                                   const workload::WorkloadParts& parts,
                                                   const workload::Workload& workload, const device::DeviceInfo& device,
                                                   const Measured& measured) {
  const Table table(measured, device.in_situ);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const int layers = workload.layers_per_stage[stage];
    const auto again = [&](std::vector<schedule::InstructionOption>& options, const Instruction& instruction) {
      return std::all_of(options.begin(), options.end(), [&](schedule::InstructionOption& option) {
        const auto cost = cost_of(option.schedule, instruction, parts, table);
        if (!cost) return false;
        option.time = cost->time;
        option.energy = cost->effective_energy + measured.static_power * cost->time;
        return true;
      });
    };
    const bool known = again(stages[stage].forward,
                             {workload::Direction::forward, &parts.forward, &parts.stage_forward[stage], layers}) &&
                       again(stages[stage].backward,
                             {workload::Direction::backward, &parts.backward, &parts.stage_backward[stage], layers});
    if (!known) return fail(ErrorCode::bad_input, "a schedule has a part that was not measured", "measurements");
  }
  return stages;
}

Result<std::vector<schedule::StageOptions>> stage_options(const workload::Workload& workload,
                                                          const workload::WorkloadParts& parts,
                                                          const device::DeviceInfo& device, const Measured& measured,
                                                          bool overlapped) {
  const Table table(measured, device.in_situ);
  std::vector<schedule::StageOptions> stages;
  std::map<std::pair<int, std::vector<std::string>>, std::vector<schedule::InstructionOption>> known;
  // Middle stages of equal depth are the same work, so each distinct one is composed once.
  const auto compose = [&](const Instruction& instruction) -> Result<std::vector<schedule::InstructionOption>> {
    std::vector<std::string> identity = {to_string(instruction.direction)};
    for (const workload::NonPartitionWork& work : *instruction.non_partition) identity.push_back(work.name);
    const auto key = std::make_pair(instruction.layers, std::move(identity));
    if (const auto found = known.find(key); found != known.end()) return found->second;
    auto options = instruction_options(instruction, parts, device, table, measured, overlapped);
    if (options) known.emplace(key, *options);
    return options;
  };
  for (std::size_t stage = 0; stage < workload.layers_per_stage.size(); ++stage) {
    const int layers = workload.layers_per_stage[stage];
    auto forward = compose({workload::Direction::forward, &parts.forward, &parts.stage_forward[stage], layers});
    if (!forward) return tl::unexpected(std::move(forward).error());
    auto backward = compose({workload::Direction::backward, &parts.backward, &parts.stage_backward[stage], layers});
    if (!backward) return tl::unexpected(std::move(backward).error());
    stages.push_back({.forward = std::move(*forward), .backward = std::move(*backward)});
  }
  return stages;
}

}  // namespace kareus::planner
