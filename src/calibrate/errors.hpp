#pragma once

#include "kareus/calibrate.hpp"

namespace kareus::calibrate {

/// Whether the description can speak about the data. Errors: bad_input with every table that needs what it has not.
Result<void> check_data(const device::DeviceDescription& device, const Data& data);

/// Seconds of a collective on the SMs that the library takes by default, at the highest clock.
double collective_time(const device::DeviceDescription& device, const CollectiveRow& row);

}  // namespace kareus::calibrate
