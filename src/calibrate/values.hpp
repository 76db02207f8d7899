#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kareus/device_description.hpp"

namespace kareus::calibrate {

/// Constants of a description by name (`section.key`), with the values they shall have.
using Values = std::vector<std::pair<std::string, double>>;

/// The value of a constant; 0 when the description does not have it.
double value_of(const device::DeviceDescription& device, const std::string& name);

/// The description with other values, checked like a file. Errors: those of parse_description().
Result<device::DeviceDescription> with_values(const device::DeviceDescription& device, const Values& values);

/// The description with one constant replaced, source, grade and range included; its numbers are not read again.
void set_constant(device::DeviceDescription& device, const device::Constant& constant);

/// Rounded to that many significant digits.
double rounded(double value, int digits);

}  // namespace kareus::calibrate
