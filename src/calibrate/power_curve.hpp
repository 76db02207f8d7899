#pragma once

#include "kareus/calibrate.hpp"

namespace kareus::calibrate {

/// A kernel over clock and cap: P = idle + active f V^2 (1 at the highest clock), which the limiter keeps within its
/// fraction of the cap by lowering the clock; time falls with the clock when the SMs bound it.
struct PowerCurve {
  double idle_w = 0.0;
  double active_w = 0.0;
  double time_s = 0.0;  ///< at the highest clock

  struct Point {
    double time_s = 0.0;
    double power_w = 0.0;
  };
  Point at(const device::DeviceDescription& device, Bound bound, Clock clock, Watts cap) const;
};

/// The curve that fits the rows that are not held out, with the device's voltage and limiter.
PowerCurve fit_power_curve(const device::DeviceDescription& device, const PowerSweep& sweep);

}  // namespace kareus::calibrate
