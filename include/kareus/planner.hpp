#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/frontier.hpp"
#include "kareus/partition.hpp"
#include "kareus/profile.hpp"
#include "kareus/report.hpp"
#include "kareus/result.hpp"
#include "kareus/schedule.hpp"
#include "kareus/search.hpp"
#include "kareus/workload.hpp"

namespace kareus::planner {

/// How far a run is. Counts are of all works together; the total falls when a search converges early.
struct Progress {
  std::string work;  ///< what was measured last
  std::size_t done = 0;
  std::size_t total = 0;
  std::size_t reused = 0;  ///< of `done`: already in the store
  double hypervolume = 0;  ///< mean over the partition types, of the box up to the worst measurement; 0 to 1
  Seconds device_time;     ///< spent on devices so far, by this run and the ones it continues
};

struct Options {
  std::uint64_t seed = 0;
  std::string strategy = search::strategy_names().front();  ///< of the partition types' searches
  int threads = 1;                     ///< partition types profiled at the same time, each on its own device group
  std::size_t points = 50;             ///< times at which the iteration frontier is realised
  bool constant_static_power = false;  ///< as published: waits are charged the static power of the highest clock
  profile::Protocol protocol = *profile::parse_protocol(profile::protocol_names().front());
  /// Called from one thread at a time.
  std::function<void(const Progress&)> on_progress;
  /// Asked before every measurement; true stops the run with ErrorCode::interrupted.
  std::function<bool()> interrupted;
};

/// The configurations of a partition type, candidate by candidate, and the same as rows of features.
struct PartitionSpace {
  std::vector<device::Execution> candidates;
  search::Space features;
};
PartitionSpace partition_space(const workload::PartitionType& type, const device::DeviceInfo& device);

/// Whether the workload can run on the device. Errors: bad_input (at `name`) when the GPUs of a stage do not divide a
/// node, since its tensor and context groups need the node's link.
Result<void> check_device(const workload::Workload& workload, const device::DeviceInfo& device,
                          const std::string& name);

/// What will be measured, without measuring.
struct Outline {
  struct Type {
    std::string name;
    std::string compute;  ///< launch slots in order, the searched ones marked with `*`
    std::string communication;
    std::size_t space = 0;
    std::size_t budget = 0;  ///< evaluations at most
  };
  std::vector<Type> types;
  std::size_t other_measurements = 0;  ///< sequential execution, non-partition work, static power
  Seconds device_time;                 ///< about, by the protocol
};
Outline outline(const workload::Workload& workload, const device::DeviceInfo& device, const Options& options);

/// Everything measured of a workload.
struct Measured {
  Watts static_power;                        ///< at the highest clock
  schedule::PowerByClock static_power_at{};  ///< at several; empty: waits are charged `static_power` at any clock
  std::vector<profile::Measurement> measurements;
};

/// Measures everything that the frontier needs, resuming from the store. Errors: those of the device and the store;
/// interrupted.
Result<Measured> measure(const workload::Workload& workload, const device::OpenDevice& open_device,
                         profile::Store& store, const Options& options);

/// Options of every stage from measurements; `overlapped` false keeps sequential execution only.
Result<std::vector<schedule::StageOptions>> stage_options(const workload::Workload& workload,
                                                          const workload::WorkloadParts& parts,
                                                          const device::DeviceInfo& device, const Measured& measured,
                                                          bool overlapped);

/// The iteration frontier of stages with these options under 1F1B: the exact curve, realised with real options at
/// `points` times from the fastest to the least total energy; dominated points left out. With static power by clock a
/// wait is charged that of the clock it is spent at, and the curve, which charges the least of them, stays a bound
/// (docs/decisions/009).
Result<schedule::FrontierFile> iteration_frontier(std::vector<schedule::StageOptions> stages,
                                                  const workload::Workload& workload, Watts static_power,
                                                  std::size_t points, schedule::Provenance provenance,
                                                  const schedule::PowerByClock& static_power_at = {});

/// The same as the published solver finds it: durations of the curve of fitted costs in steps of 1 ms (see
/// exponential_costs(); the options themselves where no exponential fits), the slowest option within each. Without a
/// bound: the fit is none.
Result<schedule::FrontierFile> unit_step_frontier(std::vector<schedule::StageOptions> stages,
                                                  const workload::Workload& workload, Watts static_power,
                                                  std::size_t points, schedule::Provenance provenance);

/// The schedules of `stages` with what they cost by other measurements, option by option. Errors: bad_input when one of
/// them was not measured.
Result<std::vector<schedule::StageOptions>> recost(std::vector<schedule::StageOptions> stages,
                                                   const workload::WorkloadParts& parts,
                                                   const workload::Workload& workload, const device::DeviceInfo& device,
                                                   const Measured& measured);

/// A frontier whose options turn out to cost what `stages` (the same schedules, see recost()) say: every point is timed
/// and its energy summed again; bounds are not known then, and points that others beat are left out.
Result<schedule::FrontierFile> with_costs(schedule::FrontierFile frontier, std::vector<schedule::StageOptions> stages,
                                          const workload::Workload& workload);

/// One point: every stage sequential at the highest clock (Megatron-LM as it runs without Kareus).
Result<schedule::FrontierFile> megatron_point(const std::vector<schedule::StageOptions>& sequential,
                                              const workload::Workload& workload, Watts static_power,
                                              schedule::Provenance provenance,
                                              const schedule::PowerByClock& static_power_at = {});

/// The result of the main job.
struct PlanResult {
  schedule::FrontierFile kareus;
  schedule::FrontierFile megatron;
  schedule::FrontierFile megatron_perseus;
  report::ReportInput report;
};

/// The main job: measures (resuming), composes, solves.
Result<PlanResult> plan(const workload::Workload& workload, const device::OpenDevice& open_device,
                        profile::Store& store, const Options& options);

/// What the report of a run shows, from its frontiers and its measurements (in any order of families); the device tells
/// what runs when in the configurations on the frontiers of partitions. Errors: those of Device::trace().
Result<report::ReportInput> report_input(const workload::Workload& workload, const device::Device& device,
                                         const std::vector<profile::Measurement>& measurements,
                                         schedule::FrontierFile kareus, std::vector<schedule::FrontierFile> baselines);

/// Identity of a run's measurements: workload, device, seed, strategy and protocol.
std::string store_identity(const workload::Workload& workload, const std::string& device_identity,
                           const Options& options);

/// A published plan carried over to a workload: each instruction's configuration measured, the pipeline re-timed.
struct RetimedPlan {
  schedule::Plan plan;
  std::optional<Seconds> published_time;   ///< recovered from the plan's two cost comments
  std::optional<Joules> published_energy;  ///< of one GPU per stage, static included
  std::vector<std::string> notes;          ///< what could not be carried over as published
};
/// `published_static_power` is what the plan's maker charged per GPU. Errors: bad_input when the plan's stages,
/// instructions or partition types are not the workload's.
Result<RetimedPlan> retime(const schedule::ImportedPlan& imported, const workload::Workload& workload,
                           const device::OpenDevice& open_device, profile::Store& store, const Options& options,
                           Watts published_static_power);

}  // namespace kareus::planner
