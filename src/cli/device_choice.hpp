#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/device_description.hpp"
#include "kareus/result.hpp"

namespace kareus::cli {

/// Which device answers: the simulator of the workload's device, or a table of measurements.
struct DeviceArguments {
  std::vector<std::filesystem::path> folders;  ///< searched first for device descriptions
  std::filesystem::path replay;                ///< table of measurements; empty for the simulator
  double static_power_w = 0;                   ///< of the replayed device
};

struct DeviceChoice {
  device::OpenDevice open;
  device::DeviceInfo info;
  std::string identity;  ///< changes when the device's answers may change
};

/// Errors: bad_input for an unknown device (names the known ones) or a wrong description or table.
Result<DeviceChoice> choose_device(const std::string& name, const std::filesystem::path& workload_toml,
                                   const DeviceArguments& arguments);

/// A description by its file (ends in `.toml`) or by the name of a known device. Errors: those of reading it.
Result<device::DeviceDescription> choose_description(const std::string& device,
                                                     const std::vector<std::filesystem::path>& folders);

}  // namespace kareus::cli
