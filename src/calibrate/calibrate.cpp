#include "kareus/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>

#include "calibrate/errors.hpp"
#include "calibrate/least_squares.hpp"
#include "calibrate/power_curve.hpp"
#include "calibrate/residuals.hpp"
#include "calibrate/values.hpp"

namespace kareus::calibrate {
namespace {

constexpr double kNoise = 0.01;  ///< of a measured time or energy, and of what the model leaves out

/// A constant that a kind of measurement determines, how far it may go, and how much its start is trusted.
struct Adjustable {
  const char* name;
  double low;
  double high;
  double trust;
};

// Times of partitions and collectives.
constexpr Adjustable kTimes[] = {
    {"compute.gemm_efficiency", 0.2, 0.98, 0.05},
    {"compute.attention_forward_efficiency", 0.2, 0.98, 0.2},
    {"communication.per_sm_gbs", 0.5, 200.0, 0.0},
    {"communication.clock_exponent", 0.2, 1.5, 0.2},
    {"communication.bus_gbs", 5.0, 2000.0, 0.2},
    {"communication.per_peer_gbs", 5.0, 2000.0, 0.5},
    {"communication.sharpness", 1.2, 8.0, 0.2},
    {"communication.latency_us", 1.0, 500.0, 0.2},
    {"communication.memory_per_wire_byte", 1.0, 6.0, 0.2},
    {"host.synchronisation_us", 1.0, 5000.0, 0.0},
};
constexpr Adjustable kCollectiveTimes[] = {
    {"communication.bus_gbs", 5.0, 2000.0, 0.2},
    {"communication.sharpness", 1.2, 8.0, 0.2},
    {"communication.latency_us", 1.0, 500.0, 0.2},
};
// Times of whole instructions: what their kernels have in common. Which of them lose is told by forward and backward.
constexpr Adjustable kInstructionTimes[] = {
    {"compute.gemm_efficiency", 0.2, 0.98, 0.1},
    {"compute.attention_forward_efficiency", 0.2, 0.98, 0.2},
    {"compute.attention_backward_efficiency", 0.2, 0.98, 0.2},
};
// Energies of partitions. One sweep has every kernel in every row, so it determines their sum; the power of a blocked
// GPU is known by itself and not fitted to a sweep of GPUs that are never blocked.
constexpr Adjustable kEnergies[] = {
    {"voltage.rise", 0.05, 1.0, 0.3},
    {"power.gemm_compute_w", 20.0, 2000.0, 0.3},
    {"power.attention_compute_w", 20.0, 2000.0, 0.3},
    {"power.streaming_compute_w", 10.0, 1000.0, 0.1},
    {"power.communication_w_per_sm", 0.1, 20.0, 0.3},
    {"power.communication_pj_per_byte", 1.0, 2000.0, 0.3},
};
constexpr Adjustable kPowers[] = {
    {"voltage.rise", 0.05, 1.0, 0.5},
    {"voltage.exponent", 0.5, 4.0, 0.5},
    {"power.cap_fraction", 0.8, 1.0, 0.05},
};

/// Fits a set of constants, and amounts of work besides, to residuals that depend on them.
class Stage {
 public:
  /// Of a constant that stands twice the first counts.
  Stage(const device::DeviceDescription& device, std::span<const Adjustable> adjustables) : device_(device) {
    for (const Adjustable& one : adjustables) {
      if (std::find(names_.begin(), names_.end(), one.name) != names_.end()) continue;
      const double start = value_of(device, one.name);
      names_.emplace_back(one.name);
      unknowns_.push_back({.start = start, .low = one.low, .high = one.high, .trust = one.trust});
    }
  }

  void add_amounts(const PartitionSweep& sweep) {
    for (const std::size_t index : sweep.unknown) {
      amount_names_.push_back(fmt::format("{}: {}", sweep.name, sweep.compute[index].name));
      unknowns_.push_back({.start = 1.0, .low = 0.05, .high = 20.0, .trust = 1.0});
    }
  }

  using Model = std::function<std::vector<double>(const device::DeviceDescription&, const std::vector<double>&)>;

  /// Leaves the fitted description and the amounts; says what was fitted in `values`.
  Result<void> run(const Model& model, const std::string& source, Calibration& result, std::vector<double>& amounts) {
    const auto guess = [&](const std::vector<double>& x) -> std::pair<Values, std::vector<double>> {
      Values values;
      for (std::size_t i = 0; i < names_.size(); ++i) values.emplace_back(names_[i], x[i]);
      const auto split = x.begin() + static_cast<std::ptrdiff_t>(names_.size());
      return {values, std::vector<double>(split, x.end())};
    };
    const Fit fit = least_squares(
        unknowns_,
        [&](const std::vector<double>& x) -> std::vector<double> {
          const auto [values, of_amounts] = guess(x);
          const auto changed = with_values(device_, values);
          if (!changed) return {};
          return model(*changed, of_amounts);
        },
        kNoise);
    for (std::size_t i = 0; i < names_.size(); ++i) keep(names_[i], fit, i, source, result);
    for (std::size_t i = 0; i < amount_names_.size(); ++i) {
      const std::size_t at = names_.size() + i;
      result.values.push_back(fitted(amount_names_[i], 1.0, fit, at));
    }
    amounts.assign(fit.values.begin() + static_cast<std::ptrdiff_t>(names_.size()), fit.values.end());
    auto read = device::parse_description(to_toml(result.device, ""), device_.name);
    if (!read) return tl::unexpected(std::move(read).error());
    result.device = std::move(*read);
    return {};
  }

 private:
  static FittedValue fitted(const std::string& name, double before, const Fit& fit, std::size_t i) {
    const double spread = std::exp(2.0 * fit.deviations[i]);
    return {.name = name,
            .before = before,
            .value = rounded(fit.values[i], 4),
            .low = rounded(fit.values[i] / spread, 3),
            .high = rounded(fit.values[i] * spread, 3)};
  }

  void keep(const std::string& name, const Fit& fit, std::size_t i, const std::string& source, Calibration& result) {
    FittedValue value = fitted(name, unknowns_[i].start, fit, i);
    value.low = std::clamp(value.low, std::min(unknowns_[i].low, value.value), value.value);
    value.high = std::clamp(value.high, value.value, std::max(unknowns_[i].high, value.value));
    set_constant(result.device, {.name = name,
                                 .value = value.value,
                                 .source = source,
                                 .grade = device::Grade::fitted,
                                 .range = {{value.low, value.high}}});
    result.values.push_back(std::move(value));
  }

  const device::DeviceDescription& device_;
  std::vector<std::string> names_;
  std::vector<std::string> amount_names_;
  std::vector<Unknown> unknowns_;
};

/// What the times of the data determine.
std::vector<Adjustable> adjustable_times(const Data& data) {
  std::vector<Adjustable> all;
  const auto add = [&](std::span<const Adjustable> some) { all.insert(all.end(), some.begin(), some.end()); };
  if (!data.partitions.empty()) {
    add(kTimes);
  } else if (!data.collectives.empty()) {
    add(kCollectiveTimes);
  }
  if (!data.instructions.empty()) add(kInstructionTimes);
  return all;
}

bool has_one_clock(const Data& data) {
  std::set<Clock> clocks;
  for (const InstructionProfile& profile : data.instructions) {
    for (const InstructionRow& row : profile.rows) clocks.insert(row.clock);
  }
  for (const PartitionSweep& sweep : data.partitions) {
    for (const PartitionRow& row : sweep.rows) clocks.insert(row.clock);
  }
  return clocks.size() == 1;
}

std::string sources_of(const Data& data) {
  std::string text;
  const auto add = [&](const std::string& source) { text += (text.empty() ? "" : "; ") + source; };
  for (const PartitionSweep& sweep : data.partitions) add(sweep.source);
  for (const CollectiveTable& table : data.collectives) add(table.source);
  for (const PowerSweep& sweep : data.powers) add(sweep.source);
  for (const InstructionProfile& profile : data.instructions) add(profile.source);
  return text;
}

/// No partition has a backward pass: it keeps its ratio to the forward one.
Result<void> scale_backward_attention(const device::DeviceDescription& before, Calibration& result) {
  const char* name = "compute.attention_backward_efficiency";
  const double ratio = value_of(before, name) / value_of(before, "compute.attention_forward_efficiency");
  for (const device::Constant& constant : before.constants) {
    if (constant.name != name) continue;
    device::Constant scaled = constant;
    scaled.value = rounded(ratio * value_of(result.device, "compute.attention_forward_efficiency"), 4);
    scaled.range.reset();
    auto changed = with_constants(result.device, {scaled});
    if (!changed) return tl::unexpected(std::move(changed).error());
    result.device = std::move(*changed);
    return {};
  }
  return {};
}

}  // namespace

Result<Calibration> calibrate(const device::DeviceDescription& start, const Data& data) {
  KAREUS_RETURN_IF_ERROR(check_data(start, data));
  Calibration result{.device = start, .values = {}, .errors = {}};
  const std::string source = sources_of(data);
  std::vector<double> amounts;
  const bool instructions = !data.instructions.empty();
  if (const auto adjustables = adjustable_times(data); !adjustables.empty()) {
    const device::DeviceDescription before = result.device;
    Stage times(before, adjustables);
    for (const PartitionSweep& sweep : data.partitions) times.add_amounts(sweep);
    KAREUS_RETURN_IF_ERROR(times.run(
        [&](const device::DeviceDescription& device, const std::vector<double>& of) {
          std::vector<double> residuals;
          add_partition_residuals(device, data, of, false, residuals);
          add_collective_residuals(device, data, residuals);
          add_instruction_residuals(device, data, false, residuals);
          return residuals;
        },
        source, result, amounts));
    if (!data.partitions.empty() && !instructions) {
      KAREUS_RETURN_IF_ERROR(scale_backward_attention(before, result));
    }
  }
  if (!data.partitions.empty() || instructions) {
    const device::DeviceDescription before = result.device;
    // Rows of one clock say nothing of how voltage follows it.
    Stage energies(before, std::span(kEnergies).subspan(has_one_clock(data) ? 1 : 0));
    std::vector<double> none;
    KAREUS_RETURN_IF_ERROR(energies.run(
        [&](const device::DeviceDescription& device, const std::vector<double>&) {
          std::vector<double> residuals;
          add_partition_residuals(device, data, amounts, true, residuals);
          add_instruction_residuals(device, data, true, residuals);
          return residuals;
        },
        source, result, none));
  }
  if (!data.powers.empty()) {
    const device::DeviceDescription before = result.device;
    Stage powers(before, kPowers);
    std::vector<double> none;
    KAREUS_RETURN_IF_ERROR(powers.run(
        [&](const device::DeviceDescription& device, const std::vector<double>&) {
          std::vector<double> residuals;
          for (const PowerSweep& sweep : data.powers) {
            const PowerCurve curve = fit_power_curve(device, sweep);
            for (const PowerRow& row : sweep.rows) {
              if (row.held_out) continue;
              const PowerCurve::Point point = curve.at(device, sweep.bound, row.clock, row.cap);
              residuals.push_back(point.time_s / row.time.si() - 1.0);
              residuals.push_back(point.power_w / row.power.si() - 1.0);
            }
          }
          return residuals;
        },
        source, result, none));
  }
  auto errors = table_errors(result.device, data);
  if (!errors) return tl::unexpected(std::move(errors).error());
  result.errors = std::move(*errors);
  return result;
}

}  // namespace kareus::calibrate
