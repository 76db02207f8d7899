#include "device/sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/sim/kernels.hpp"
#include "device/sim/power.hpp"

namespace kareus::device::sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// What runs at one moment.
struct Running {
  const workload::Operator* compute = nullptr;
  const workload::Operator* communication = nullptr;
  int communication_sms = 0;
};

/// Durations and dynamic power of what runs, at one clock, if it went on like this to the end.
struct Rates {
  Clock clock;
  double compute_seconds = kNever;
  double communication_seconds = kNever;
  double dynamic_watts = 0.0;
};

double limit_watts(const DeviceDescription& device) {
  return device.power.cap.si() * device.power.cap_fraction;
}

Rates rates_at(const DeviceDescription& device, const Running& running, Clock clock) {
  Rates rates{.clock = clock};
  Share share{.clock = clock, .sms = device.sm_total};
  if (running.communication != nullptr) {
    const workload::Operator& op = *running.communication;
    rates.communication_seconds = collective_seconds(device, op, running.communication_sms, clock);
    rates.dynamic_watts += collective_power(device, op, running.communication_sms, rates.communication_seconds, clock);
    share.sms -= running.communication_sms;
    share.memory_taken = device.communication.memory_per_wire_byte * wire_bytes(op) / rates.communication_seconds;
  }
  if (running.compute != nullptr) {
    const workload::Operator& op = *running.compute;
    const KernelClass kind = classify(op.kind);
    if (kind == KernelClass::collective) {
      const int sms = device.communication.default_sm_count.value;
      rates.compute_seconds = collective_seconds(device, op, sms, clock);
      rates.dynamic_watts += collective_power(device, op, sms, rates.compute_seconds, clock);
    } else {
      const KernelCost cost = compute_cost(device, op, share);
      rates.compute_seconds = cost.seconds;
      rates.dynamic_watts += kernel_power(device, kind, cost, clock);
    }
  }
  return rates;
}

/// What the power limiter allows. Nothing sees a limit without `mean`.
struct Limiter {
  Clock highest;               ///< that an interval may run at
  std::optional<double> mean;  ///< watts of the execution that the limiter has seen, at most the limit
};

/// The execution as it advances. Work that is left is counted as a fraction of the whole kernel, so that a change of
/// rates in the middle of a kernel needs no history.
class Advance {
 public:
  Advance(const DeviceDescription& device, const Work& work, const Execution& execution,
          const SimulationOptions& options, const Limiter& limiter)
      : device_(device), work_(work), options_(options), limiter_(limiter), wanted_(limiter.highest) {
    result_.throttled = wanted_ < execution.clock;
    launch_ = work.compute.size();
    if (work.communication) {
      communication_left_ = 1.0;
      communication_sms_ = execution.config->sm_count.value;
      for (const workload::LaunchSlot& slot : work.slots) {
        if (slot.name == execution.config->launch_slot) launch_ = slot.first_operator;
      }
    }
  }

  Simulation finish() && {
    while (next_ < work_.compute.size() || communication_left_ > 0.0) step();
    if (options_.host_exposed) append({}, Rates{.clock = wanted_}, host_seconds());
    result_.time = Seconds(now_);
    result_.leakage_energy = Joules(leakage_power(device_, options_.temperature.degrees) * now_);
    return std::move(result_);
  }

 private:
  /// Time that the host spends on one execution when nothing hides it.
  double host_seconds() const {
    const HostModel& host = device_.host;
    double seconds = host.synchronisation.si();
    if (work_.communication) seconds += host.communication_launch.si();
    for (const workload::Operator& op : work_.compute) {
      const bool in_place = classify(op.kind) == KernelClass::collective;
      seconds += (in_place ? host.communication_launch : host.operator_launch).si();
    }
    return seconds;
  }

  void step() {
    Running running{.communication_sms = communication_sms_};
    if (communication_left_ > 0.0 && next_ >= launch_) running.communication = &*work_.communication;
    const bool waits = running.communication != nullptr && options_.joins_before && next_ >= *options_.joins_before;
    if (next_ < work_.compute.size() && !waits) running.compute = &work_.compute[next_];
    const Rates rates = limited_rates(running);
    const double compute_ends = running.compute != nullptr ? compute_left_ * rates.compute_seconds : kNever;
    const double communication_ends =
        running.communication != nullptr ? communication_left_ * rates.communication_seconds : kNever;
    const double duration = std::min(compute_ends, communication_ends);
    append(running, rates, duration);
    if (running.communication != nullptr) {
      communication_left_ =
          communication_ends <= duration ? 0.0 : communication_left_ - duration / rates.communication_seconds;
    }
    if (running.compute != nullptr && compute_ends <= duration) {
      ++next_;
      compute_left_ = 1.0;
    } else if (running.compute != nullptr) {
      compute_left_ = std::max(0.0, compute_left_ - duration / rates.compute_seconds);
    }
  }

  /// Of an interval, as the limiter sees it.
  double seen_watts(const Rates& rates) const {
    const double watts = rates.dynamic_watts + static_power(device_, rates.clock, options_.temperature.degrees);
    const double response = device_.power.limiter_response.si();
    if (response <= 0.0) return watts;
    const double lasts = std::min(rates.compute_seconds, rates.communication_seconds);
    const double weight = lasts < kNever ? lasts / (lasts + response) : 0.0;
    return *limiter_.mean + (watts - *limiter_.mean) * weight;
  }

  /// Rates at the wanted clock, or at the highest supported one at which the power cap holds (the lowest one if none).
  /// Power rises with the clock, which makes the search a bisection.
  Rates limited_rates(const Running& running) {
    Rates rates = rates_at(device_, running, wanted_);
    if (!limiter_.mean) return rates;
    const double limit = limit_watts(device_);
    if (seen_watts(rates) <= limit) return rates;
    const ClockRange& range = device_.supported;
    int fits = 0;
    int exceeds = (wanted_.mhz - range.lowest.mhz) / range.step_mhz;
    if (exceeds == 0) return rates;  // already as slow as the device goes
    result_.throttled = true;
    const auto clock_at = [&](int index) { return Clock{range.lowest.mhz + index * range.step_mhz}; };
    while (exceeds - fits > 1) {
      const int middle = (fits + exceeds) / 2;
      (seen_watts(rates_at(device_, running, clock_at(middle))) <= limit ? fits : exceeds) = middle;
    }
    return rates_at(device_, running, clock_at(fits));
  }

  void append(const Running& running, const Rates& rates, double duration) {
    const double clock_tree = clock_tree_power(device_, rates.clock);
    if (duration > 0.0) {
      Interval interval{.start = Seconds(now_),
                        .duration = Seconds(duration),
                        .clock = rates.clock,
                        .compute = std::nullopt,
                        .communication = running.communication != nullptr,
                        .dynamic = Watts(rates.dynamic_watts),
                        .clock_tree = Watts(clock_tree)};
      if (running.compute != nullptr) interval.compute = next_;
      result_.timeline.push_back(interval);
    }
    result_.dynamic_energy += Joules(rates.dynamic_watts * duration);
    result_.clock_tree_energy += Joules(clock_tree * duration);
    now_ += duration;
  }

  const DeviceDescription& device_;
  const Work& work_;
  const SimulationOptions& options_;
  const Limiter& limiter_;
  Clock wanted_;
  std::size_t launch_ = 0;  ///< the operator that the communication starts with
  int communication_sms_ = 0;
  double now_ = 0.0;
  std::size_t next_ = 0;  ///< the operator that runs or is next
  double compute_left_ = 1.0;
  double communication_left_ = 0.0;
  Simulation result_;
};

/// The locked clock, lowered by one step for each kelvin over the slowdown temperature.
Clock cooled_clock(const DeviceDescription& device, Clock locked, const SimulationOptions& options) {
  const double over = options.temperature.degrees - device.thermal.slowdown.degrees;
  if (!options.limit_power || over <= 0.0) return locked;
  const int lowered = locked.mhz - static_cast<int>(std::min(std::ceil(over), 1000.0)) * device.supported.step_mhz;
  return device.supported.at_most(Clock{lowered});
}

double mean_watts(const Simulation& simulation) {
  return simulation.time.si() > 0.0 ? (simulation.energy() / simulation.time).si() : 0.0;
}

}  // namespace

Result<Simulation> simulate(const DeviceDescription& device, const Work& work, const Execution& execution,
                            const SimulationOptions& options) {
  KAREUS_RETURN_IF_ERROR(check_execution(device, work, execution));
  const auto at = [&](const Limiter& limiter) { return Advance(device, work, execution, options, limiter).finish(); };
  const Clock highest = cooled_clock(device, execution.clock, options);
  Simulation free = at({.highest = highest, .mean = std::nullopt});
  if (!options.limit_power) return free;
  const double limit = limit_watts(device);
  const double mean = std::min(mean_watts(free), limit);
  Simulation limited = at({.highest = highest, .mean = mean});
  // However slow the limiter, the mean of the execution stays within the cap: the highest clock at which it does.
  const ClockRange& range = device.supported;
  int fits = 0;
  int exceeds = (highest.mhz - range.lowest.mhz) / range.step_mhz;
  if (mean_watts(limited) <= limit || exceeds == 0) return limited;
  const auto with_highest = [&](int index) {
    return at({.highest = Clock{range.lowest.mhz + index * range.step_mhz}, .mean = mean});
  };
  while (exceeds - fits > 1) {
    const int middle = (fits + exceeds) / 2;
    (mean_watts(with_highest(middle)) <= limit ? fits : exceeds) = middle;
  }
  return with_highest(fits);
}

}  // namespace kareus::device::sim
