#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kareus/curve.hpp"
#include "kareus/pipeline.hpp"
#include "kareus/quantity.hpp"
#include "kareus/result.hpp"
#include "kareus/rounding.hpp"

namespace kareus::planner {

/// One measured way to run an instruction.
struct ProfileOption {
  Clock clock;
  std::string configuration;  ///< the file's other columns as `name=value name=value`; empty when there are none
  Seconds time;               ///< longest over the ranks of the stage
  Joules energy;              ///< static included; mean over the ranks of the stage

  friend bool operator==(const ProfileOption&, const ProfileOption&) = default;
};

/// Which instruction of a pipeline, whatever the microbatch.
struct InstructionName {
  int stage = 0;
  int chunk = 0;
  pipeline::OperationKind kind = pipeline::OperationKind::forward;

  friend auto operator<=>(const InstructionName&, const InstructionName&) = default;
};
/// `stage 1 backward`, `stage 1 chunk 2 backward` with chunks.
std::string to_string(const InstructionName& name);

/// Which costs the curve is computed with: the lower convex hull of what was measured, or a fitted a·exp(b·t)+c in
/// whole units of time, to reproduce what others publish.
enum class CostModel { hull, exponential };

/// Measurements of the instructions of one pipeline.
struct InstructionProfile {
  /// What a file may say besides its measurements (the JSON form does).
  struct Settings {
    std::optional<std::string> schedule;
    std::optional<int> microbatches;
    std::optional<Watts> static_power;
    std::optional<Seconds> unit_time;
    std::optional<double> noise_factor;
  };

  std::string name;  ///< of the file
  int stages = 0;
  int chunks = 1;  ///< model chunks per stage that the file tells apart
  /// Options by descending clock, then configuration; never empty. Every stage has the same chunks and kinds
  /// (recompute aside).
  std::map<InstructionName, std::vector<ProfileOption>> instructions;
  Settings settings;
  std::vector<std::string> notes;  ///< what was aggregated or looks doubtful
};

/// Reads a profile: CSV with the columns `stage`, `instruction`, `frequency` (MHz), `time` (s) and `energy` (J) in any
/// order, optional `chunk`, ranks (`rank`, `dp_rank`, `pp_rank`, `tp_rank`: aggregated by longest time and mean energy)
/// and further columns (kept as configuration); or, for text that starts with `{`, JSON with `num_stages`,
/// `num_micro_batches`, `p2p_power`, `unit_time` and the same rows under `profile`. Errors: bad_input with every
/// problem and its place: values that are no positive finite numbers, unknown instructions, gaps in the stage numbers,
/// an instruction without rows in some stage.
Result<InstructionProfile> parse_profile(std::string_view text, std::string name);
Result<InstructionProfile> read_profile(const std::filesystem::path& path);

/// The least-energy point that ends within a time; `of_fastest`: that many times the fastest time.
struct AtTime {
  double value = 0;  ///< seconds, or a factor
  bool of_fastest = false;
};
/// The fastest point within an energy (total, of one GPU per stage).
struct AtEnergy {
  Joules energy;
};
/// Another pipeline of the job ends at that time: nothing is gained by ending before, and static power is paid until
/// then in any case. T_opt = min(T*, max(T, T_min)), T* the slowest time of the curve (Perseus, section 4).
struct AtStraggler {
  Seconds time;
};
using PointRequest = std::variant<AtTime, AtEnergy, AtStraggler>;

struct InstructionFrontierOptions {
  std::string schedule = "1f1b";         ///< see pipeline::make_order()
  std::optional<pipeline::Order> order;  ///< instead of a schedule by name
  int microbatches = 0;                  ///< of a schedule by name
  int chunks = 1;
  pipeline::FixedTimes fixed;
  Watts static_power;  ///< of one GPU, blocked
  CostModel cost_model = CostModel::hull;
  Seconds unit_time{1e-3};    ///< of the exponential model
  double noise_factor = 1.0;  ///< of the exponential model: see exponential_costs()
  /// The curve to its slowest end, also where slowing down costs total energy. A straggler asks for it in any case.
  bool full = false;
  std::size_t points = 20;  ///< times at which the curve is turned into real clocks; at least 1
  std::optional<PointRequest> request;
  Seconds switch_latency;
  std::optional<Clock> parked;             ///< clock to wait at
  std::map<Clock, Watts> static_power_at;  ///< by clock, linear between; for parking
  bool verify = false;                     ///< certifies every breakpoint and not only those of the points
};

/// One point with real clocks. Energies are of one GPU per stage, summed over the stages of all pipelines.
struct InstructionPoint {
  Seconds curve_time;      ///< of the curve: asked for, or the realised time where the whole curve was asked for
  Joules curve_effective;  ///< of the curve there
  Watts slope;             ///< -dE/dT of the curve there
  pipeline::Certificate certificate;  ///< of the piece of the curve there; primal and dual in joules, at `curve_time`

  Seconds time;             ///< realised, re-timed with measured times
  Joules effective_energy;  ///< realised
  Joules static_energy;     ///< stages x static power x time (until the straggler, with one)
  Joules bound;             ///< total energy of the curve at the realised time
  Joules parking_saves;     ///< not subtracted from the energies
  int clock_switches = 0;
  /// Per stage (pipelines one after another) and position: index into the options of the instruction there.
  std::vector<std::vector<std::uint32_t>> choices;

  Joules energy() const { return effective_energy + static_energy; }
  /// What real clocks cost above the curve, relative to it.
  double gap() const { return (energy() - bound) / bound; }
};

struct InstructionFrontier {
  std::vector<std::string> profiles;  ///< names, one per pipeline
  std::string schedule;               ///< name, or `order` for one given as a file
  CostModel cost_model = CostModel::hull;
  Watts static_power;                ///< of one GPU
  std::vector<int> pipeline_stages;  ///< stages of each pipeline
  pipeline::Order order;             ///< per stage, pipelines one after another
  std::vector<std::map<InstructionName, std::vector<ProfileOption>>> options;  ///< per pipeline, as used by `order`
  std::vector<pipeline::Breakpoint> curve;                                     ///< slowest first
  std::vector<InstructionPoint> points;  ///< fastest first; one when a point was asked for; never empty
  std::size_t certified = 0;  ///< breakpoints that were checked one by one (InstructionFrontierOptions::verify)
  std::vector<std::string> notes;

  int stages() const { return static_cast<int>(order.size()); }
  /// Pipeline of a stage of `order` and its number in there.
  std::pair<std::size_t, int> pipeline_of(std::size_t stage) const;
  /// The options that `choices[stage][position]` counts in.
  const std::vector<ProfileOption>& options_at(std::size_t stage, std::size_t position) const;
};

/// What a profile's settings say, and otherwise the defaults.
InstructionFrontierOptions default_options(const InstructionProfile& profile);

/// The exact curve of the profiled pipelines (data-parallel replicas that may differ; at least one), and real clocks
/// for the points that are asked for. Errors: bad_input (profiles that do not fit the schedule, names the instructions;
/// unsupported parameters), usage (options that contradict themselves), infeasible (a request that no plan satisfies),
/// internal (a certificate that does not hold).
Result<InstructionFrontier> solve_instruction_frontier(const std::vector<InstructionProfile>& profiles,
                                                       const InstructionFrontierOptions& options);

/// `kareus-curve` version 1 (docs/formats.md).
std::string to_json(const InstructionFrontier& frontier);
/// One row per point.
std::string to_csv(const InstructionFrontier& frontier);

/// A file of a folder of plans.
struct PlanText {
  std::string file;  ///< relative path: `freqs_pipeline_00003.py`; under `pipeline_1/` when there are several pipelines
  std::string text;
};
/// The points as plan files that the zeus server reads and schedule::import_published_plan() too; the fastest has the
/// largest number. Errors: bad_input when an instruction is neither forward nor backward, which the form cannot say.
Result<std::vector<PlanText>> to_plan_files(const InstructionFrontier& frontier);

/// Costs as the published optimiser sees them: durations rounded down to whole units, effective energy at the rounded
/// duration, options dropped that another beats in both after multiplying its own cost by 1 (by `noise_factor` when at
/// most 3 would be left), the costliest of equal durations, a·exp(b·t)+c fitted by least squares and sampled at every
/// unit from the fastest to the slowest duration. Errors: bad_input for fewer than 3 durations or energies that do not
/// fall convexly (names the instruction as `name`).
Result<std::vector<pipeline::NodeOption>> exponential_costs(const std::vector<ProfileOption>& options,
                                                            Watts static_power, Seconds unit_time, double noise_factor,
                                                            const std::string& name);

}  // namespace kareus::planner
