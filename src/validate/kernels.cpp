#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kareus/calibrate.hpp"
#include "validate/checks.hpp"

namespace kareus::validate {
namespace {

constexpr const char* kLevel = "kernels";
constexpr double kTimeMean = 0.03;
constexpr double kEnergyMean = 0.04;
constexpr double kLargest = 0.10;
constexpr double kCollective = 0.05;
constexpr double kPower = 0.025;
constexpr double kBestSms = 2.0;
constexpr double kOtherClockTime = 0.05;
constexpr double kOtherClockEnergy = 0.06;
constexpr const char* kPowerCurveDevice = "a100-pcie-80gb";

/// Means and largest errors of all tables, the fitted rows and those held out apart.
void add_tables(const std::vector<calibrate::TableError>& errors, std::vector<Check>& checks) {
  for (const calibrate::TableError& error : errors) {
    const std::string name = fmt::format("{}: {} of {} {} rows", error.table, error.quantity, error.rows,
                                         error.held_out ? "held-out" : "fitted");
    const bool collective = error.table == "collectives";
    const bool sweep = error.quantity == "energy" || error.table.starts_with("attention");
    std::optional<double> mean = kPower;
    std::optional<double> largest;
    if (collective) {
      mean = kCollective;
      largest = kCollective;
    } else if (sweep) {
      mean = error.quantity == "energy" ? kEnergyMean : kTimeMean;
      largest = kLargest;
    }
    const auto add = [&](const char* which, double value, std::optional<double> tolerance) {
      Check check{
          .level = kLevel, .name = name + which, .unit = {}, .published = {}, .ours = {}, .tolerance = tolerance};
      check.error = value;
      check.passed = !tolerance || value <= *tolerance;
      checks.push_back(std::move(check));
    };
    add(", mean", error.mean, mean);
    add(", largest", error.largest, largest);
  }
}

/// Per window and clock, how far our best SM count is from the measured one, and what taking ours costs.
Result<void> add_best_sms(const device::DeviceDescription& device, const calibrate::PartitionSweep& sweep,
                          std::vector<Check>& checks) {
  auto predictions = calibrate::predict(device, sweep, calibrate::fit_amounts(device, sweep));
  if (!predictions) return tl::unexpected(std::move(predictions).error());
  struct Best {
    const calibrate::Prediction* measured = nullptr;
    const calibrate::Prediction* ours = nullptr;
  };
  std::map<std::tuple<Clock, std::optional<std::size_t>, std::optional<std::size_t>>, Best> windows;
  for (const calibrate::Prediction& one : *predictions) {
    Best& best = windows[{one.row->clock, one.row->launched_with, one.row->joined_before}];
    if (best.measured == nullptr || one.row->time < best.measured->row->time) best.measured = &one;
    if (best.ours == nullptr || one.time < best.ours->time) best.ours = &one;
  }
  double furthest = 0.0;
  double regret = 0.0;
  double within = 0.0;
  for (const auto& [window, best] : windows) {
    const double distance = std::abs(best.ours->row->sm_count.value - best.measured->row->sm_count.value);
    furthest = std::max(furthest, distance);
    within += distance <= kBestSms ? 1.0 : 0.0;
    regret = std::max(regret, best.ours->row->time / best.measured->row->time - 1.0);
  }
  Check check{.level = kLevel,
              .name = fmt::format("{}: best SM count, largest distance of {} windows ({:.0f} within {:.0f})",
                                  sweep.name, windows.size(), within, kBestSms),
              .unit = "SMs",
              .published = {},
              .ours = {},
              .tolerance = kBestSms};
  check.error = furthest;
  check.passed = furthest <= kBestSms;
  checks.push_back(std::move(check));
  Check cost{.level = kLevel,
             .name = fmt::format("{}: measured time lost by taking our SM count, largest", sweep.name),
             .unit = {},
             .published = {},
             .ours = {},
             .tolerance = {}};
  cost.error = regret;
  checks.push_back(std::move(cost));
  return {};
}

/// The lower clock predicted: constants fitted at the highest clock alone, voltage from another card's power curve.
Result<void> add_other_clock(const device::DeviceDescription& device, const calibrate::Data& data,
                             const Sources& sources, std::vector<Check>& checks) {
  auto start = device::read_description(sources.data / "calibration" / device.name / "start.toml");
  if (!start) return tl::unexpected(std::move(start).error());
  auto curve = device::read_description(sources.devices / (std::string(kPowerCurveDevice) + ".toml"));
  if (!curve) return tl::unexpected(std::move(curve).error());
  std::vector<device::Constant> voltage;
  for (const device::Constant& constant : curve->constants) {
    if (constant.name.starts_with("voltage.")) voltage.push_back(constant);
  }
  auto with_curve = calibrate::with_constants(*start, voltage);
  if (!with_curve) return tl::unexpected(std::move(with_curve).error());
  // The clock tree keeps its power at the highest clock, where a blocked GPU was measured.
  for (const device::Constant& constant : start->constants) {
    if (constant.name != "power.clock_w_per_mhz") continue;
    device::Constant scaled = constant;
    scaled.value *= std::pow((1.0 + start->voltage.rise) / (1.0 + with_curve->voltage.rise), 2.0);
    scaled.range.reset();
    with_curve = calibrate::with_constants(*with_curve, {scaled});
    if (!with_curve) return tl::unexpected(std::move(with_curve).error());
  }
  calibrate::Data highest = data;
  calibrate::Data other = data;
  for (std::size_t i = 0; i < data.partitions.size(); ++i) {
    std::erase_if(highest.partitions[i].rows, [&](const auto& row) { return row.clock != device.supported.highest; });
    std::erase_if(other.partitions[i].rows, [&](const auto& row) { return row.clock == device.supported.highest; });
  }
  auto fitted = calibrate::calibrate(*with_curve, highest);
  if (!fitted) return tl::unexpected(std::move(fitted).error());
  for (std::size_t i = 0; i < data.partitions.size(); ++i) {
    const calibrate::PartitionSweep& sweep = other.partitions[i];
    auto predictions =
        calibrate::predict(fitted->device, sweep, calibrate::fit_amounts(fitted->device, highest.partitions[i]));
    if (!predictions) return tl::unexpected(std::move(predictions).error());
    std::vector<double> times;
    std::vector<double> energies;
    for (const calibrate::Prediction& one : *predictions) {
      times.push_back(one.time / one.row->time - 1.0);
      energies.push_back(one.energy / one.row->energy - 1.0);
    }
    const std::string name = sweep.name + ": 1200 MHz predicted from 1410 MHz and the power curve, ";
    add_errors(checks, kLevel, name + "time", times, kOtherClockTime, std::nullopt);
    add_errors(checks, kLevel, name + "energy", energies, kOtherClockEnergy, std::nullopt);
  }
  return {};
}

/// The power curves were measured on another card of the same chip.
Result<void> add_power_curves(const Sources& sources, std::vector<Check>& checks) {
  auto device = device::read_description(sources.devices / (std::string(kPowerCurveDevice) + ".toml"));
  if (!device) return tl::unexpected(std::move(device).error());
  auto data = calibrate::read_data(sources.data / "calibration" / kPowerCurveDevice);
  if (!data) return tl::unexpected(std::move(data).error());
  auto errors = calibrate::table_errors(*device, *data);
  if (!errors) return tl::unexpected(std::move(errors).error());
  add_tables(*errors, checks);
  return {};
}

}  // namespace

Result<void> check_kernels(const device::DeviceDescription& device, const Sources& sources,
                           std::vector<Check>& checks) {
  auto data = calibrate::read_data(sources.data / "calibration" / device.name);
  if (!data) return tl::unexpected(std::move(data).error());
  auto errors = calibrate::table_errors(device, *data);
  if (!errors) return tl::unexpected(std::move(errors).error());
  add_tables(*errors, checks);
  if (data->partitions.empty()) return {};
  for (const calibrate::PartitionSweep& sweep : data->partitions) {
    KAREUS_RETURN_IF_ERROR(add_best_sms(device, sweep, checks));
  }
  KAREUS_RETURN_IF_ERROR(add_other_clock(device, *data, sources, checks));
  return add_power_curves(sources, checks);
}

}  // namespace kareus::validate
