#pragma once

#include <cstdint>
#include <string>

#include "device/meter.hpp"
#include "device/sim/thermal.hpp"
#include "kareus/result.hpp"

namespace kareus::device::sim {

/// Everything of a simulated device that its answers depend on.
struct Checkpoint {
  std::string device;
  std::uint64_t seed = 0;
  Clock clock;
  std::uint64_t draws = 0;  ///< of noise, so far
  Meter::State meter;
  Thermal::State thermal;
};

/// JSON on one line; numbers in the shortest form that reads back to the same bits.
std::string write_checkpoint(const Checkpoint& checkpoint);

/// Errors: bad_input for a text that write_checkpoint did not write.
Result<Checkpoint> parse_checkpoint(const std::string& text);

}  // namespace kareus::device::sim
