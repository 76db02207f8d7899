#include "calibrate/values.hpp"

#include <algorithm>
#include <cmath>

#include "kareus/calibrate.hpp"

namespace kareus::calibrate {

double value_of(const device::DeviceDescription& device, const std::string& name) {
  const auto found = std::find_if(device.constants.begin(), device.constants.end(),
                                  [&](const device::Constant& constant) { return constant.name == name; });
  return found == device.constants.end() ? 0.0 : found->value;
}

Result<device::DeviceDescription> with_values(const device::DeviceDescription& device, const Values& values) {
  device::DeviceDescription changed = device;
  for (const auto& [name, value] : values) {
    for (device::Constant& constant : changed.constants) {
      if (constant.name != name) continue;
      constant.value = value;
      constant.range.reset();
    }
  }
  return device::parse_description(to_toml(changed, ""), device.name);
}

Result<device::DeviceDescription> with_constants(const device::DeviceDescription& device,
                                                 const std::vector<device::Constant>& constants) {
  device::DeviceDescription changed = device;
  for (const device::Constant& constant : constants) set_constant(changed, constant);
  return device::parse_description(to_toml(changed, ""), device.name);
}

void set_constant(device::DeviceDescription& device, const device::Constant& constant) {
  for (device::Constant& other : device.constants) {
    if (other.name != constant.name) continue;
    other = constant;
    return;
  }
  device.constants.push_back(constant);
}

double rounded(double value, int digits) {
  if (value == 0.0) return 0.0;
  const double scale = std::pow(10.0, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
  return std::round(value * scale) / scale;
}

}  // namespace kareus::calibrate
