#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kareus/device_description.hpp"
#include "kareus/planner.hpp"
#include "kareus/result.hpp"
#include "kareus/schedule.hpp"
#include "kareus/workload.hpp"

namespace kareus::evaluate {

/// How an iteration is planned (Kareus, section 6).
enum class Method {
  megatron,              ///< sequential at the highest clock
  megatron_perseus,      ///< sequential, a clock for every instruction
  nanobatching,          ///< overlapped as soon as possible on the default SM count, at the highest clock
  nanobatching_perseus,  ///< the same, a clock for every instruction
  kareus,                ///< clock, SM count and launch slot, sequential execution as a candidate
};
inline constexpr Method kMethods[] = {Method::megatron, Method::megatron_perseus, Method::nanobatching,
                                      Method::nanobatching_perseus, Method::kareus};
/// `megatron`, `megatron-perseus`, `nanobatching`, `nanobatching-perseus`, `kareus`.
std::string to_string(Method method);

/// Every configuration of a workload on the simulator of a device, without noise, each at the temperature that it
/// settles at: what an exhaustive and exact profile would hold.
struct Exhaustive {
  device::DeviceInfo info;
  workload::WorkloadParts parts;
  planner::Measured overlapped;   ///< the search space of every partition type
  planner::Measured nanobatched;  ///< the default configuration of every type, nothing sequential
  planner::Measured sequential;   ///< layers without overlap
};

/// Errors: those of the simulator, and bad_input when the stages do not fit the device's nodes.
Result<Exhaustive> simulate_all(const workload::Workload& workload, const device::DeviceDescription& device);

/// Power of a blocked GPU of the device at a clock, at the temperature that it settles at then.
std::function<Watts(Clock)> blocked_power(const device::DeviceDescription& device);

/// The iteration frontier of a method, of one point when the method chooses no clocks. Errors: bad_input for a method
/// that overlaps a workload which cannot be split.
Result<schedule::FrontierFile> frontier_of(Method method, const workload::Workload& workload,
                                           const Exhaustive& simulated, std::size_t points);

/// The time of a method's fastest iteration, as measured end to end.
struct EndToEndRun {
  Method method = Method::megatron;
  Seconds time;
  std::optional<Joules> energy;        ///< of that iteration, one GPU of each stage
  std::optional<Joules> least_energy;  ///< of the iteration that takes least
};
/// One training configuration that was run on a cluster.
struct EndToEnd {
  std::string device;
  workload::Workload workload;
  std::string source;
  std::vector<EndToEndRun> runs;
};
/// Reads an end-to-end file (docs/formats.md) and the workload that it names. Errors: bad_input with every problem,
/// also when no run is sequential or none overlapped, which leaves one of the two costs unknown.
Result<EndToEnd> read_end_to_end(const std::filesystem::path& path);

/// What execution costs in situ so that the runs come out as measured, as constants of a description (`in_situ.*`)
/// whose ranges are what times 1.5% shorter and longer would give. Errors: bad_input when the runs are faster than
/// their kernels, which no cost explains.
Result<std::vector<device::Constant>> learn_in_situ(const device::DeviceDescription& device, const EndToEnd& measured);

}  // namespace kareus::evaluate
