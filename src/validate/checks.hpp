#pragma once

#include <span>
#include <string>
#include <vector>

#include "kareus/evaluate.hpp"
#include "kareus/validate.hpp"

namespace kareus::validate {

/// The mean and the largest magnitude of some errors as two checks.
void add_errors(std::vector<Check>& checks, const std::string& level, const std::string& name,
                std::span<const double> errors, std::optional<double> mean, std::optional<double> largest);

/// A statement that holds or not.
void add_statement(std::vector<Check>& checks, const std::string& level, const std::string& name, bool holds);

/// A value beside its published one; the error is relative.
void add_value(std::vector<Check>& checks, const std::string& level, const std::string& name, const std::string& unit,
               double published, double ours, std::optional<double> tolerance);

/// Percentages, compared in points.
void add_points(std::vector<Check>& checks, const std::string& level, const std::string& name, double published,
                double ours, std::optional<double> tolerance);

/// A published workload with every method's frontier on a device, as planned blind and with its in-situ costs.
struct Planned {
  workload::Workload workload;
  evaluate::Exhaustive simulated;
  std::vector<schedule::FrontierFile> blind;       ///< in the order of evaluate::kMethods
  std::vector<schedule::FrontierFile> calibrated;  ///< the same; empty when the device has no in-situ costs

  const schedule::FrontierFile& of(evaluate::Method method, bool in_situ) const {
    return (in_situ ? calibrated : blind)[static_cast<std::size_t>(method)];
  }
};

Result<void> check_kernels(const device::DeviceDescription& device, const Sources& sources, std::vector<Check>& checks);
Result<void> check_plans(const std::vector<Planned>& planned, const Sources& sources, std::vector<Check>& checks);
void check_measured_run(const std::vector<Planned>& planned, std::vector<Check>& checks);
void check_orderings(const std::vector<Planned>& planned, std::vector<Check>& checks);
Result<void> check_protocol(const device::DeviceDescription& device, std::vector<Check>& checks);
Result<void> check_vtrain(const device::DeviceDescription& device, const Sources& sources, std::vector<Check>& checks);

}  // namespace kareus::validate
