#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kareus/device_description.hpp"
#include "kareus/result.hpp"

namespace kareus::validate {

/// One comparison with something published or measured by others.
struct Check {
  std::string level;  ///< `kernels`, `blind`, `calibrated`, `measured run`, `orderings`, `protocol` or `vtrain`
  std::string name;
  std::string unit;  ///< of `published` and `ours`; empty where only an error or a statement is compared
  std::optional<double> published;
  std::optional<double> ours;
  double error = 0.0;               ///< relative, or in points where the unit is `%`
  std::optional<double> tolerance;  ///< of the error's magnitude; nothing: reported only
  bool passed = true;
};

/// Where the data of the checks lies.
struct Sources {
  std::filesystem::path data;       ///< holds `calibration/`, `validation/` and `vtrain/`
  std::filesystem::path devices;    ///< device descriptions
  std::filesystem::path workloads;  ///< the published workloads
};

/// All checks of a device that there is data for. Errors: bad_input for data that cannot be read and for a device that
/// nothing was published about.
Result<std::vector<Check>> validate(const device::DeviceDescription& device, const Sources& sources);

bool passed(const std::vector<Check>& checks);

}  // namespace kareus::validate
