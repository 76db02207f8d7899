#pragma once

#include <cstdint>
#include <memory>

#include "kareus/device_description.hpp"

namespace kareus::device {

/// A simulated group of GPUs, all alike, in virtual time: nothing waits, everything takes the time it would take.
/// Starts idle, at thermal equilibrium, with unlocked clocks. Two devices of one description and seed that are asked
/// the same give bit-equal answers. Noise: each run() and block() draws one factor of its time and one of its power.
///
/// run() locks the clock of the execution first when another one is locked. Errors besides those of Device: bad_input
/// for a work that cannot be executed so (see sim::check_execution) and for repetitions below one; for durations that
/// are negative or not finite; from restore() for a text that is no checkpoint of a device of this description and
/// seed.
std::unique_ptr<Device> make_sim_device(DeviceDescription description, std::uint64_t seed);

}  // namespace kareus::device
