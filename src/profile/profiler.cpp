#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "kareus/profile.hpp"
#include "profile/window.hpp"

namespace kareus::profile {
namespace {

constexpr const char* kStaticPowerWork = "static_power";
constexpr int kAttempts = 2;

constexpr const char* kThrottled = "a power or thermal limit lowered the clock";

Result<void> check_protocol(const Protocol& protocol, const device::DeviceInfo& info) {
  std::vector<Problem> problems;
  const auto require = [&](bool holds, std::string what) {
    if (!holds) problems.push_back({"protocol", std::move(what), ""});
  };
  const std::pair<const char*, Seconds> durations[] = {{"settle", protocol.settle},
                                                       {"cooldown", protocol.cooldown},
                                                       {"window", protocol.window},
                                                       {"static_power_window", protocol.static_power_window}};
  for (const auto& [name, duration] : durations) {
    require(std::isfinite(duration.si()) && duration >= Seconds(0.0),
            fmt::format("'{}' must be a finite time of at least 0 s", name));
  }
  require(protocol.calibration_warmup >= 0 && protocol.warmup >= 0, "warm-up repetitions must be at least 0");
  require(protocol.calibration_repetitions >= 1, "'calibration_repetitions' must be at least 1");
  for (const auto& [name, window] : {durations[2], durations[3]}) {
    require(window > Seconds(0.0) && window >= info.energy_counter_period,
            fmt::format("'{}' must be longer than {} s, in which the energy counter of this device moves once", name,
                        info.energy_counter_period.si()));
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return {};
}

/// Calls `attempt` on a locked clock until it gives a window, at most twice.
template <class Try>
Result<Attempt> attempt_on_clock(ClockLock& lock, Clock clock, Try attempt) {
  for (int i = 1;; ++i) {
    KAREUS_RETURN_IF_ERROR(lock.lock(clock));
    auto tried = attempt();
    if (!tried || tried->window || !tried->transient || i == kAttempts) return tried;
  }
}

/// Time since `start` on the device's time base. Errors: device when that is no time.
Result<Seconds> time_since(device::Device& device, Seconds start) {
  const auto end = device.now();
  if (!end) return tl::unexpected(end.error());
  const Seconds spent = *end - start;
  if (!std::isfinite(spent.si()) || spent < Seconds(0.0)) {
    return fail(ErrorCode::device, fmt::format("the device's time went from {} s to {} s", start.si(), end->si()),
                device.info().name, "the device's driver is broken; start again after it was reset");
  }
  return spent;
}

Measurement to_measurement(const std::string& work, const device::Execution& execution, const Attempt& attempt) {
  Measurement measurement;
  measurement.work = work;
  measurement.execution = execution;
  measurement.message = attempt.fault;
  if (!attempt.window) {
    measurement.status = Status::failed;
    return measurement;
  }
  const Window& window = *attempt.window;
  const auto count = static_cast<double>(window.repetitions);
  measurement.status = window.throttled ? Status::throttled : Status::ok;
  if (window.throttled) measurement.message = kThrottled;
  measurement.time = window.elapsed / count;
  measurement.energy = window.energy / count;
  measurement.temperature = window.temperature;
  measurement.window = window.elapsed;
  measurement.repetitions = window.repetitions;
  return measurement;
}

Watts power(const Measurement& measurement) {
  return measurement.energy / measurement.time;
}

}  // namespace

Profiler::Profiler(device::Device& device, Store& store, Protocol protocol, std::string family)
    : device_(&device), store_(&store), protocol_(protocol), family_(std::move(family)) {}

Result<Profiler> Profiler::create(device::Device& device, Store& store, Protocol protocol, std::string family) {
  KAREUS_RETURN_IF_ERROR(check_protocol(protocol, device.info()));
  const auto checkpoint = store.device_checkpoint(family);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  if (*checkpoint) KAREUS_RETURN_IF_ERROR(device.restore(**checkpoint));
  return Profiler(device, store, protocol, std::move(family));
}

Result<Measurement> Profiler::measure(const device::Work& work, const device::Execution& execution,
                                      const std::string& found_by) {
  KAREUS_CHECK(!work.name.empty() && work.name != kStaticPowerWork);
  auto stored = store_->find(work.name, execution);
  if (!stored) return tl::unexpected(std::move(stored).error());
  if (*stored) return std::move(**stored);

  const auto start = device_->now();
  if (!start) return tl::unexpected(start.error());
  ClockLock lock(*device_);
  const auto attempt =
      attempt_on_clock(lock, execution.clock, [&] { return measure_work(*device_, protocol_, work, execution); });
  if (!attempt) return tl::unexpected(attempt.error());
  Measurement measurement = to_measurement(work.name, execution, *attempt);
  measurement.found_by = found_by;
  const auto spent = time_since(*device_, *start);
  if (!spent) return tl::unexpected(spent.error());
  measurement.spent = *spent;
  // The measurement is good even when the clock cannot be unlocked, so it is kept before that is reported.
  const auto released = lock.release();
  KAREUS_RETURN_IF_ERROR(store_->insert(measurement, family_, device_->checkpoint()));
  if (!released) return tl::unexpected(released.error());
  return measurement;
}

Result<Watts> Profiler::static_power(Clock clock) {
  const device::Execution execution{.clock = clock, .config = std::nullopt};
  const auto stored = store_->find(kStaticPowerWork, execution);
  if (!stored) return tl::unexpected(stored.error());
  if (*stored && (*stored)->usable()) return power(**stored);

  const auto start = device_->now();
  if (!start) return tl::unexpected(start.error());
  ClockLock lock(*device_);
  const auto attempt = attempt_on_clock(lock, clock, [&] { return measure_blocked(*device_, protocol_); });
  if (!attempt) return tl::unexpected(attempt.error());
  if (!attempt->window) {
    // Without this power there is no energy to speak of, so nothing is kept and the next start tries again.
    return fail(ErrorCode::device, fmt::format("the static power cannot be measured: {}", attempt->fault),
                device_->info().name);
  }
  Measurement measurement = to_measurement(kStaticPowerWork, execution, *attempt);
  const auto spent = time_since(*device_, *start);
  if (!spent) return tl::unexpected(spent.error());
  measurement.spent = *spent;
  const auto released = lock.release();
  KAREUS_RETURN_IF_ERROR(store_->insert(measurement, family_, device_->checkpoint()));
  if (!released) return tl::unexpected(released.error());
  return power(measurement);
}

}  // namespace kareus::profile
