#pragma once

#include <string>
#include <unordered_map>

#include "kareus/device_description.hpp"

namespace kareus::device::sim {

/// What one execution costs, without the leakage that follows the temperature.
struct ExecutionCost {
  double seconds = 0.0;
  double joules_without_leakage = 0.0;
  bool throttled = false;
};

/// Event simulations by work, execution and temperature band. A band is two kelvin wide, less than a watt of leakage;
/// limits are decided at its upper end, so that one simulation holds for all of it. Works are told apart by content,
/// not by name.
class SimulationCache {
 public:
  /// Identity of everything that an execution's cost depends on, but for the temperature.
  static std::string key(const Work& work, const Execution& execution);

  /// The execution must have passed check_execution.
  const ExecutionCost& get(const DeviceDescription& device, const std::string& key, const Work& work,
                           const Execution& execution, double degrees);

 private:
  std::unordered_map<std::string, ExecutionCost> costs_;
};

}  // namespace kareus::device::sim
