#include "device/meter.hpp"

#include <cmath>

namespace kareus::device {

void Meter::advance(double seconds, double watts) {
  const double before = state_.seconds;
  const double after = before + seconds;
  const double tick = std::floor(after / period_);
  if (tick > std::floor(before / period_)) state_.counter = state_.joules + watts * (tick * period_ - before);
  state_.seconds = after;
  state_.joules += watts * seconds;
}

}  // namespace kareus::device
