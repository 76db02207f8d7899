#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace kareus {

/// From the open interval (0, 1), of 64 random bits. The standard library's distributions differ between
/// implementations, so those are not used.
inline double open_uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
}

/// radius * cos(angle) and radius * sin(angle) are independent standard normals.
struct NormalPair {
  double radius = 0;
  double angle = 0;
};
/// Of two uniform numbers from (0, 1) (Box and Muller 1958).
inline NormalPair normal_pair(double first, double second) {
  return {.radius = std::sqrt(-2.0 * std::log(first)), .angle = 2.0 * std::numbers::pi * second};
}

}  // namespace kareus
