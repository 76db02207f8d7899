#include "calibrate/power_curve.hpp"

#include <algorithm>

#include "calibrate/least_squares.hpp"
#include "device/sim/power.hpp"

namespace kareus::calibrate {
namespace {

/// f V^2 over its value at the highest clock, at a clock between two steps: the limiter moves back and forth.
double switching(const device::DeviceDescription& device, double mhz) {
  const auto at = [&](int whole) {
    const double voltage = device::sim::relative_voltage(device, Clock{whole});
    return whole * voltage * voltage;
  };
  const int below = static_cast<int>(mhz);
  const double share = mhz - below;
  return ((1.0 - share) * at(below) + share * at(below + 1)) / at(device.supported.highest.mhz);
}

}  // namespace

PowerCurve::Point PowerCurve::at(const device::DeviceDescription& device, Bound bound, Clock clock, Watts cap) const {
  const double limit = cap.si() * device.power.cap_fraction;
  const auto power = [&](double mhz) { return idle_w + active_w * switching(device, mhz); };
  double mhz = clock.mhz;
  if (power(mhz) > limit) {
    double low = device.supported.lowest.mhz;
    double high = mhz;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (low + high);
      (power(middle) <= limit ? low : high) = middle;
    }
    mhz = low;
  }
  const double slower = bound == Bound::compute ? device.supported.highest.mhz / mhz : 1.0;
  return {.time_s = time_s * slower, .power_w = power(mhz)};
}

PowerCurve fit_power_curve(const device::DeviceDescription& device, const PowerSweep& sweep) {
  double highest = 0.0;
  double lowest = 1e18;
  double fastest = 1e18;
  for (const PowerRow& row : sweep.rows) {
    highest = std::max(highest, row.power.si());
    lowest = std::min(lowest, row.power.si());
    fastest = std::min(fastest, row.time.si());
  }
  const std::vector<Unknown> unknowns = {{.start = 0.5 * lowest, .low = 1.0, .high = lowest},
                                         {.start = highest - 0.5 * lowest, .low = 1.0, .high = 4.0 * highest},
                                         {.start = fastest, .low = 0.5 * fastest, .high = 2.0 * fastest}};
  const auto curve_of = [](const std::vector<double>& x) {
    return PowerCurve{.idle_w = x[0], .active_w = x[1], .time_s = x[2]};
  };
  const Fit fit = least_squares(
      unknowns,
      [&](const std::vector<double>& x) {
        std::vector<double> residuals;
        for (const PowerRow& row : sweep.rows) {
          if (row.held_out) continue;
          const PowerCurve::Point point = curve_of(x).at(device, sweep.bound, row.clock, row.cap);
          residuals.push_back(point.time_s / row.time.si() - 1.0);
          residuals.push_back(point.power_w / row.power.si() - 1.0);
        }
        return residuals;
      },
      0.01);
  return curve_of(fit.values);
}

}  // namespace kareus::calibrate
