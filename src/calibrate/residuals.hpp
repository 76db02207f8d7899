#pragma once

#include <vector>

#include "kareus/calibrate.hpp"

namespace kareus::calibrate {

// Relative errors of the rows that are not held out, one after another; fewer where the simulator refuses a row.

/// `amounts` of all sweeps, one sweep's after another's. Of energies or of times.
void add_partition_residuals(const device::DeviceDescription& device, const Data& data,
                             const std::vector<double>& amounts, bool energy, std::vector<double>& residuals);
/// Of times.
void add_collective_residuals(const device::DeviceDescription& device, const Data& data,
                              std::vector<double>& residuals);
/// Of energies or of times.
void add_instruction_residuals(const device::DeviceDescription& device, const Data& data, bool energy,
                               std::vector<double>& residuals);

}  // namespace kareus::calibrate
