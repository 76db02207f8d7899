#pragma once

#include <memory>

#include "device/replay/replay_table.hpp"

namespace kareus::device {

/// A device that answers from measurements, in virtual time: a run takes the time of its row times the repetitions and
/// spends the row's energy; the rest of the time it draws `static_power`. The temperature never changes. `info` says
/// what the table was measured on.
///
/// Errors besides those of Device: infeasible for a configuration that the table does not hold, naming the nearest one,
/// device for a work of which it holds none;
/// bad_input for repetitions below one and durations that are negative or not finite.
std::unique_ptr<Device> make_replay_device(ReplayTable table, DeviceInfo info, Watts static_power);

}  // namespace kareus::device
