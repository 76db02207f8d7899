#include "calibrate/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.hpp"
#include "calibrate/least_squares.hpp"
#include "calibrate/power_curve.hpp"
#include "device/sim/kernels.hpp"

namespace kareus::calibrate {
namespace {

/// Errors of one quantity of one table, for the rows that were fitted and those that were held out.
class Errors {
 public:
  Errors(std::string table, std::string quantity) {
    for (const bool held_out : {false, true}) {
      (held_out ? held_ : fitted_) = {.table = table, .quantity = quantity, .held_out = held_out};
    }
  }
  void add(double predicted, double measured, bool held_out) {
    TableError& error = held_out ? held_ : fitted_;
    const double relative = std::abs(predicted / measured - 1.0);
    error.mean += relative;
    error.largest = std::max(error.largest, relative);
    ++error.rows;
  }
  void append_to(std::vector<TableError>& all) {
    for (TableError* error : {&fitted_, &held_}) {
      if (error->rows == 0) continue;
      error->mean /= static_cast<double>(error->rows);
      all.push_back(*error);
    }
  }

 private:
  TableError fitted_;
  TableError held_;
};

}  // namespace

Result<void> check_data(const device::DeviceDescription& device, const Data& data) {
  std::vector<Problem> problems;
  if (data.device != device.name) {
    problems.push_back({"calibration.toml",
                        fmt::format("was measured on {}, the description is of {}", data.device, device.name),
                        "give the description of the device that was measured"});
  }
  const auto check_clock = [&](const std::string& table, Clock clock, int line) {
    if (device.supported.contains(clock)) return;
    problems.push_back({fmt::format("{}, line {}", table, line),
                        fmt::format("{} MHz is not a clock that {} supports", clock.mhz, device.name),
                        "correct [clocks] of the description, or the table"});
  };
  for (const PartitionSweep& sweep : data.partitions) {
    for (const PartitionRow& row : sweep.rows) {
      check_clock(sweep.name, row.clock, row.line);
      if (row.sm_count.value < device.sm_total) continue;
      problems.push_back({fmt::format("{}, line {}", sweep.name, row.line),
                          fmt::format("{} SMs of {} leave compute none", row.sm_count.value, device.sm_total),
                          "correct [nominal] sms of the description, or the table"});
    }
  }
  for (const PowerSweep& sweep : data.powers) {
    for (const PowerRow& row : sweep.rows) check_clock(sweep.name, row.clock, row.line);
  }
  for (const InstructionProfile& profile : data.instructions) {
    for (const InstructionRow& row : profile.rows) check_clock(profile.name, row.clock, row.line);
    if (device.gpus_per_node % profile.workload.parallelism.gpus_per_stage() == 0) continue;
    problems.push_back({profile.name,
                        fmt::format("the {} GPUs of a stage do not divide the {} of a node",
                                    profile.workload.parallelism.gpus_per_stage(), device.gpus_per_node),
                        "correct the workload, or [nominal] of the description"});
  }
  if (problems.empty()) return {};
  shorten(problems);
  return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
}

double collective_time(const device::DeviceDescription& device, const CollectiveRow& row) {
  return device::sim::collective_seconds(device, row.operation, device.communication.default_sm_count.value,
                                         device.supported.highest);
}

std::vector<double> fit_amounts(const device::DeviceDescription& device, const PartitionSweep& sweep) {
  if (sweep.unknown.empty()) return {};
  const std::vector<Unknown> unknowns(sweep.unknown.size(), {.start = 1.0, .low = 0.05, .high = 20.0, .trust = 1.0});
  return least_squares(
             unknowns,
             [&](const std::vector<double>& amounts) {
               std::vector<double> residuals;
               const auto predictions = predict(device, sweep, amounts);
               if (!predictions) return residuals;
               for (const Prediction& one : *predictions) {
                 if (!one.row->held_out) residuals.push_back(one.time / one.row->time - 1.0);
               }
               return residuals;
             },
             0.01)
      .values;
}

Result<std::vector<TableError>> table_errors(const device::DeviceDescription& device, const Data& data) {
  std::vector<TableError> all;
  for (const PartitionSweep& sweep : data.partitions) {
    Errors time(sweep.name, "time");
    Errors energy(sweep.name, "energy");
    auto predictions = predict(device, sweep, fit_amounts(device, sweep));
    if (!predictions) return tl::unexpected(std::move(predictions).error());
    for (const Prediction& one : *predictions) {
      time.add(one.time.si(), one.row->time.si(), one.row->held_out);
      energy.add(one.energy.si(), one.row->energy.si(), one.row->held_out);
    }
    time.append_to(all);
    energy.append_to(all);
  }
  for (const CollectiveTable& table : data.collectives) {
    Errors time(table.name, "time");
    for (const CollectiveRow& row : table.rows) time.add(collective_time(device, row), row.time.si(), row.held_out);
    time.append_to(all);
  }
  for (const PowerSweep& sweep : data.powers) {
    Errors time(sweep.name, "time");
    Errors power(sweep.name, "power");
    const PowerCurve curve = fit_power_curve(device, sweep);
    for (const PowerRow& row : sweep.rows) {
      const PowerCurve::Point point = curve.at(device, sweep.bound, row.clock, row.cap);
      time.add(point.time_s, row.time.si(), row.held_out);
      power.add(point.power_w, row.power.si(), row.held_out);
    }
    time.append_to(all);
    power.append_to(all);
  }
  for (const InstructionProfile& profile : data.instructions) {
    Errors time(profile.name, "time");
    Errors energy(profile.name, "energy");
    auto predictions = predict(device, profile);
    if (!predictions) return tl::unexpected(std::move(predictions).error());
    for (std::size_t i = 0; i < profile.rows.size(); ++i) {
      const InstructionRow& row = profile.rows[i];
      time.add((*predictions)[i].time.si(), row.time.si(), row.held_out);
      energy.add((*predictions)[i].energy.si(), row.energy.si(), row.held_out);
    }
    time.append_to(all);
    energy.append_to(all);
  }
  return all;
}

}  // namespace kareus::calibrate
