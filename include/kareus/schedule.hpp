#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kareus/quantity.hpp"
#include "kareus/result.hpp"

namespace kareus::schedule {

/// Execution schedule of one partition type: how its communication kernel is run.
struct PartitionConfig {
  SmCount sm_count;
  std::string launch_slot;  ///< name of the slot, or `none`: launched after all compute

  friend auto operator<=>(const PartitionConfig&, const PartitionConfig&) = default;
};

inline constexpr const char* kNoSlot = "none";

/// Execution schedule of one instruction: one clock, and either sequential execution or a configuration per type.
struct MicrobatchSchedule {
  Clock clock;
  bool sequential = false;
  std::map<std::string, PartitionConfig> partitions;  ///< by type name
  std::map<std::string, PartitionConfig> recomputed;  ///< types of the recomputed forward (backward only)

  friend bool operator==(const MicrobatchSchedule&, const MicrobatchSchedule&) = default;
};

/// One way to execute an instruction, with its measured cost on one GPU of the stage.
struct InstructionOption {
  Seconds time;
  Joules energy;  ///< total, static included, over `time`
  MicrobatchSchedule schedule;

  friend bool operator==(const InstructionOption&, const InstructionOption&) = default;
};

enum class InstructionKind { forward, backward };
std::string to_string(InstructionKind kind);

/// One slot of a stage's execution order.
struct Instruction {
  InstructionKind kind = InstructionKind::forward;
  int microbatch = 0;

  friend auto operator<=>(const Instruction&, const Instruction&) = default;
};

/// Options of one stage, for both kinds of instruction, ascending in time.
struct StageOptions {
  std::vector<InstructionOption> forward;
  std::vector<InstructionOption> backward;

  const std::vector<InstructionOption>& of(InstructionKind kind) const {
    return kind == InstructionKind::forward ? forward : backward;
  }
  friend bool operator==(const StageOptions&, const StageOptions&) = default;
};

/// Static power by clock: what a GPU draws that is ready and blocked at a clock.
using PowerByClock = std::map<Clock, Watts>;
/// Linear between the clocks of the table, which must have one, and constant beyond them.
Watts power_at(const PowerByClock& table, Clock clock);
/// What a wait is charged: by clock where there is a table, `constant` where it is empty.
Watts waiting_power(Watts constant, const PowerByClock& table, Clock clock);

/// One point of an iteration frontier. Energies are of one GPU of each stage, summed over the stages.
struct FrontierPoint {
  Seconds time;           ///< realised: re-timed on the pipeline DAG with measured values
  Joules energy;          ///< realised total = static_energy + dynamic_energy
  Joules static_energy;   ///< stages x static power x time; by clock: static power at the clock of each moment
  Joules dynamic_energy;  ///< the rest: the sum of the instructions' effective energies
  Joules bound;           ///< lower bound of the energy at `time` (the exact convex curve)
  double watts_per_second_saved = 0;  ///< -dE/dT of the curve here: joules that one second costs
  /// Per stage, in execution order: index into the stage's options of that instruction's kind.
  std::vector<std::vector<std::uint32_t>> choices;

  friend bool operator==(const FrontierPoint&, const FrontierPoint&) = default;
};

/// Where a file came from. No wall-clock time: same input and seed give the same bytes.
struct Provenance {
  std::string tool_version;
  std::string workload;
  std::string workload_hash;
  std::string device;
  std::string method;  ///< `kareus`, `megatron`, `megatron-perseus`, `nanobatching-perseus`
  std::uint64_t seed = 0;

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// A frontier of a training iteration, fastest point first, with everything a plan needs.
struct FrontierFile {
  Provenance provenance;
  Watts static_power;                           ///< of one GPU, at the highest clock
  PowerByClock static_power_at{};               ///< what waits are charged; empty: `static_power` at any clock
  int gpus_per_stage = 1;                       ///< to scale energies to a pipeline: multiply by this
  int pipelines = 1;                            ///< data-parallel replicas
  std::vector<std::vector<Instruction>> order;  ///< per stage
  std::vector<StageOptions> stages;
  std::vector<FrontierPoint> points;

  friend bool operator==(const FrontierFile&, const FrontierFile&) = default;
};

/// One instruction of a plan, ready to be carried out.
struct PlannedInstruction {
  Instruction instruction;
  Seconds time;
  Joules energy;
  MicrobatchSchedule schedule;

  friend bool operator==(const PlannedInstruction&, const PlannedInstruction&) = default;
};

/// One point of the iteration frontier with every instruction's schedule.
struct Plan {
  Provenance provenance;
  int gpus_per_stage = 1;
  int pipelines = 1;
  Watts static_power;
  PowerByClock static_power_at{};  ///< as in FrontierFile
  Seconds time;
  Joules energy;
  Joules static_energy;
  Joules dynamic_energy;
  std::vector<std::vector<PlannedInstruction>> stages;  ///< per stage, in execution order

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The plan at point `index` of the frontier.
Plan make_plan(const FrontierFile& frontier, std::size_t index);

/// A frontier of some of the points, in ascending order of `indices`, and of the options that they choose.
FrontierFile with_points(FrontierFile frontier, std::span<const std::size_t> indices);

/// Which point of a frontier is wanted.
struct Deadline {
  Seconds time;
};
struct EnergyBudget {
  Joules energy;
};  ///< of the whole job's iteration: all GPUs of all pipelines
struct MaxThroughput {};
struct MinEnergy {};
using Request = std::variant<Deadline, EnergyBudget, MaxThroughput, MinEnergy>;

/// Index of the point that serves the request: least energy within the deadline, least time within the budget. Errors:
/// infeasible, naming the fastest or the cheapest point.
Result<std::size_t> select(const FrontierFile& frontier, const Request& request);

/// Energy of the whole job: `energy` of one GPU per stage times GPUs per stage times pipelines.
Joules job_energy(const FrontierFile& frontier, Joules energy);

/// JSON forms, keys with units, `format` and `version` first. Text is a function of the value alone.
std::string to_json(const FrontierFile& frontier);
std::string to_json(const Plan& plan);
/// Errors: bad_input with every problem found (JSON path), also for a truncated text, another format, a newer version
/// and values that contradict each other.
Result<FrontierFile> parse_frontier(std::string_view text, std::string name);
Result<Plan> parse_plan(std::string_view text, std::string name);
Result<FrontierFile> read_frontier(const std::filesystem::path& path);
Result<Plan> read_plan(const std::filesystem::path& path);

/// A published Kareus or Perseus plan: Python literals, one list per stage.
struct ImportedInstruction {
  InstructionKind kind = InstructionKind::forward;
  Clock clock;
  /// Empty for a plan of clocks only; in published order (see docs/formats.md). `launch_slot` of the legacy format is
  /// translated from operator index to slot name.
  std::vector<std::pair<std::string, PartitionConfig>> partitions;
  std::vector<std::pair<std::string, PartitionConfig>> recomputed;
};
struct ImportedPlan {
  std::vector<std::vector<ImportedInstruction>> stages;
  std::optional<double> effective_energy_j;  ///< from the trailing comments, of one GPU per stage
  std::optional<double> total_energy_j;      ///< with static energy (`total cost with P2P`)
  long iteration = 0;                        ///< index of the published solver's step
};

/// Reads `freqs_pipeline_*.py` and, when given, the matching `scheds_pipeline_*.py` as literals; nothing is evaluated.
/// Errors: bad_input with line and column for anything that is not a literal of the expected shape, for orders that
/// differ between the two files and for unknown slot names.
Result<ImportedPlan> import_published_plan(const std::filesystem::path& clocks,
                                           const std::optional<std::filesystem::path>& schedules);

}  // namespace kareus::schedule
