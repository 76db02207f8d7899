#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kareus/device_description.hpp"
#include "kareus/evaluate.hpp"
#include "kareus/result.hpp"
#include "kareus/schedule.hpp"
#include "kareus/search.hpp"
#include "kareus/workload.hpp"

namespace kareus::evaluate {

/// How the configurations of partitions are found.
enum class Search {
  exhaustive,  ///< all of them, without noise
  multi_pass,  ///< as published, on noisy measurements
  adaptive,    ///< our own, on noisy measurements
};

/// A way to plan a workload, from what is measured to the solver.
struct Recipe {
  std::string name;
  Method method = Method::kareus;
  Search search = Search::exhaustive;     ///< of Method::kareus
  bool unit_steps = false;                ///< the published solver instead of the exact one, see planner.hpp
  bool clocks = true;                     ///< false: Method::kareus at the highest clock only
  bool kernels = true;                    ///< false: Method::kareus on the default SM count from the first slot
  bool sequential = true;                 ///< false: Method::kareus without sequential execution as a candidate
  bool constant_static_power = false;     ///< true: Method::kareus plans as if waits took what the highest clock takes
  bool parked = false;                    ///< stages wait at the idle clock, and the plan counts on it (Method::kareus)
  std::optional<search::Pass> without{};  ///< a pass that the published search leaves to the others
};

/// Megatron-LM, Megatron-LM + Perseus, Nanobatching, Nanobatching + Perseus, Kareus as published (`kareus-published`:
/// its search, its solver, constant static power) and Kareus as improved (`kareus`: adaptive search, exact solver,
/// static power by clock; `kareus-parked`: also parks clocks).
std::vector<Recipe> methods();
/// What is left when one part of Kareus is taken away, and the published system with one of our parts.
std::vector<Recipe> ablations();

/// A recipe's plans of a workload. Blind: with constants from kernel measurements only; calibrated: with the device's
/// in-situ costs.
struct Outcome {
  bool calibrated = false;
  /// Fastest first, as the device carries them out: waits of all recipes are charged the static power of their clock.
  /// No choices.
  std::vector<schedule::FrontierPoint> points;
  /// The fastest point and the one of least energy, with their choices; one where they are the same.
  schedule::FrontierFile ends;
  /// The fastest point carried out with the device's blocked power by clock and its clock switches (see emulate.hpp),
  /// of one GPU of each stage: time, energy (with parked clocks where the recipe parks), and what parking saves or
  /// would.
  Seconds emulated_time;
  Joules emulated_energy;
  Joules parking_saves;
  std::vector<std::string> schedules;  ///< of the fastest point: the commonest schedule of every stage and kind
};

/// What a recipe came to on a workload.
struct RecipeResult {
  std::string recipe;
  std::size_t measurements = 0;
  double profiling_gpu_hours = 0;  ///< at the protocol's times, on the GPUs of one stage
  std::vector<Outcome> outcomes;   ///< blind, then calibrated where the device has in-situ costs
};

struct WorkloadResults {
  workload::Workload workload;
  std::vector<RecipeResult> results;  ///< in the order of the recipes
};

struct Evaluation {
  std::string device;
  Bytes memory_capacity;  ///< of one of its GPUs
  std::vector<Recipe> recipes;
  std::vector<WorkloadResults> workloads;
};

struct EvaluationOptions {
  std::filesystem::path folder;  ///< keeps a result file and the ends of the frontiers per workload and recipe; or empty
  int threads = 2;
  std::size_t points = 30;  ///< of every frontier
  std::uint64_t seed = 0;
  /// Called from one thread at a time after each workload and recipe.
  std::function<void(std::size_t done, std::size_t all, const std::string& what)> on_progress;
  std::function<bool()> interrupted;  ///< asked before each; true stops with ErrorCode::interrupted
};

/// Every recipe on every workload, on the simulator. Results that the folder holds and that belong to the same
/// workload, device, recipe and options are taken from there; others are made again. Errors: those of the simulator,
/// the solvers and the folder; interrupted.
Result<Evaluation> evaluate(std::span<const workload::Workload> workloads, const device::DeviceDescription& device,
                            std::span<const Recipe> recipes, const EvaluationOptions& options);

/// The measures of one recipe on one workload at one level. Percentages; nothing where no plan is within the limit or
/// the baseline was not evaluated.
struct Row {
  std::string workload;
  bool calibrated = false;
  std::string recipe;
  Seconds time;   ///< of the fastest point
  Joules energy;  ///< there, of one GPU of each stage
  Joules static_energy;
  std::optional<double> time_reduction;    ///< fastest points, against Megatron-LM
  std::optional<double> energy_reduction;  ///< there
  std::optional<double> iso_time_energy;   ///< against Megatron-LM + Perseus
  std::optional<double> iso_energy_time;
  double emulated_time = 0;    ///< of the fastest point above its plan, percent (see Outcome)
  double emulated_energy = 0;  ///< the same
  double parking_saves = 0;    ///< share of the emulated energy, percent
  double hypervolume = 0;      ///< share of the box up to 1.1 times the worst of all recipes' points
  std::size_t measurements = 0;
  double profiling_gpu_hours = 0;
};
std::vector<Row> rows(const Evaluation& evaluation);

/// A published figure beside ours.
struct PublishedRow {
  std::string what;
  std::string workload;
  bool calibrated = false;
  std::string recipe;
  std::string measure;
  double published = 0;  ///< percent
  double ours = 0;
  std::string note;  ///< `agrees within 3 points`, what explains the difference, or `unexplained`
};
/// `published_plans`: `published-plans.csv`. Errors: bad_input for a file that cannot be read.
Result<std::vector<PublishedRow>> published_rows(const Evaluation& evaluation,
                                                 const std::filesystem::path& published_plans);

/// What the improved system is meant to reach.
struct Goal {
  std::string recipe;
  std::string what;
  bool calibrated = false;
  double value = 0;  ///< points
  bool reached = false;
  std::string detail;
};
std::vector<Goal> goals(const Evaluation& evaluation);

/// Means over workloads of what Kareus (exhaustive, exact) saves, percent: against Megatron-LM, and against it with
/// Perseus; and by how many points of iso-time energy each of our additions is ahead of what it takes the place of.
struct Headline {
  double time_reduction = 0;
  double energy_reduction = 0;
  double iso_time_energy = 0;  ///< 0 counts for a workload where no plan is within the limit
  double iso_energy_time = 0;
  double exact_solver = 0;     ///< instead of unit steps, after the published search
  double static_power = 0;     ///< by clock instead of constant, after both
  double adaptive_search = 0;  ///< instead of the published one, before the exact solver
  double parked_clocks = 0;    ///< after both
};

/// All of them, as they are shown.
struct HeadlineMeasure {
  const char* name = "";
  double Headline::*value = nullptr;
};
std::span<const HeadlineMeasure> headline_measures();

/// One end of a constant's range.
struct RangeEnd {
  double value = 0;   ///< that the headline is of
  double wanted = 0;  ///< the end itself, which the other constants may leave no room for
  Headline headline;  ///< the other constants at their values
};

struct Influence {
  std::string constant;
  RangeEnd low;
  RangeEnd high;
};

/// The headline with the band that the ranges of the device's constants give: the root of the sum of squares of the
/// largest deviations to either side, which takes constants for independent and effects for additive.
struct Sensitivity {
  Headline nominal;
  Headline low;
  Headline high;
  std::vector<Influence> influences;  ///< in the order of the device's constants that have a range
};

/// In-situ costs included. Keeps results as evaluate() does, in a folder of its own for every end of a range. Errors:
/// those of evaluate().
Result<Sensitivity> sensitivity(std::span<const workload::Workload> workloads, const device::DeviceDescription& device,
                                const EvaluationOptions& options);

std::string to_json(const Evaluation& evaluation, const std::vector<PublishedRow>& published);

}  // namespace kareus::evaluate
