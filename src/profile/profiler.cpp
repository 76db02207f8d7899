#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "kareus/profile.hpp"
#include "profile/adaptive_window.hpp"
#include "profile/window.hpp"

namespace kareus::profile {
namespace {

constexpr const char* kStaticPowerWork = "static_power";
constexpr int kAttempts = 2;

constexpr const char* kCensored = "cut short: others of this clock are faster and take less energy";
constexpr const char* kThrottled = "a power or thermal limit lowered the clock";

Result<void> check_protocol(const Protocol& protocol, const device::DeviceInfo& info) {
  std::vector<Problem> problems;
  const auto require = [&](bool holds, std::string what) {
    if (!holds) problems.push_back({"protocol", std::move(what), ""});
  };
  std::vector<std::pair<const char*, Seconds>> durations = {{"settle", protocol.settle},
                                                            {"cooldown", protocol.cooldown},
                                                            {"window", protocol.window},
                                                            {"static_power_window", protocol.static_power_window}};
  const auto windows = std::vector(durations.begin() + 2, durations.end());
  if (const auto& adaptive = protocol.adaptive) {
    durations.insert(durations.end(), {{"adaptive settle", adaptive->settle},
                                       {"shortest_window", adaptive->shortest_window},
                                       {"longest_window", adaptive->longest_window},
                                       {"longest_cooldown", adaptive->longest_cooldown},
                                       {"longest_warm_up", adaptive->longest_warm_up}});
    require(adaptive->energy_interval > 0.0 && adaptive->energy_interval < 1.0,
            "'energy_interval' must be a share between 0 and 1");
    require(adaptive->longest_window > Seconds(0.0), "'longest_window' must be longer than 0 s");
  }
  for (const auto& [name, duration] : durations) {
    require(std::isfinite(duration.si()) && duration >= Seconds(0.0),
            fmt::format("'{}' must be a finite time of at least 0 s", name));
  }
  require(protocol.calibration_warmup >= 0 && protocol.warmup >= 0, "warm-up repetitions must be at least 0");
  require(protocol.calibration_repetitions >= 1, "'calibration_repetitions' must be at least 1");
  for (const auto& [name, window] : windows) {
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
  measurement.status = window.censored ? Status::censored : window.throttled ? Status::throttled : Status::ok;
  if (window.throttled) measurement.message = kThrottled;
  if (window.censored) measurement.message = kCensored;
  measurement.time = window.elapsed / count;
  measurement.energy = window.energy / count;
  measurement.temperature = window.temperature;
  measurement.window = window.elapsed;
  measurement.repetitions = window.repetitions;
  measurement.energy_interval = window.energy_interval;
  if (window.censored) measurement.energy = measurement.energy * (1.0 - window.energy_interval);
  return measurement;
}

Watts power(const Measurement& measurement) {
  return measurement.energy / measurement.time;
}

}  // namespace

Profiler::Profiler(device::Device& device, Store& store, Protocol protocol, std::string family)
    : device_(&device), store_(&store), protocol_(protocol), family_(std::move(family)) {}
Profiler::Profiler(Profiler&&) noexcept = default;
Profiler& Profiler::operator=(Profiler&&) noexcept = default;
Profiler::~Profiler() = default;

Result<Profiler> Profiler::create(device::Device& device, Store& store, Protocol protocol, std::string family) {
  KAREUS_RETURN_IF_ERROR(check_protocol(protocol, device.info()));
  const auto checkpoint = store.device_checkpoint(family);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  if (*checkpoint) KAREUS_RETURN_IF_ERROR(device.restore(**checkpoint));
  Profiler profiler(device, store, protocol, std::move(family));
  const auto measured = store.family(profiler.family_);
  if (!measured) return tl::unexpected(measured.error());
  for (const Measurement& measurement : *measured) profiler.remember(measurement);
  return profiler;
}

void Profiler::remember(const Measurement& measurement) {
  clock_ = measurement.execution.clock;
  if (!reference_ && measurement.status != Status::failed) reference_ = measurement.temperature;
}

Result<void> Profiler::keep(const Measurement& measurement) {
  // The measurement is good even when the clock cannot be unlocked, so it is kept before that is reported.
  const auto released = protocol_.adaptive ? Result<void>() : finish();
  KAREUS_RETURN_IF_ERROR(store_->insert(measurement, family_, device_->checkpoint()));
  remember(measurement);
  return released;
}

Result<void> Profiler::finish() {
  if (!lock_) return {};
  const auto lock = std::move(lock_);
  return lock->release();
}

Result<Measurement> Profiler::measure(const device::Work& work, const device::Execution& execution,
                                      const std::string& found_by, const Hopeless& hopeless) {
  KAREUS_CHECK(!work.name.empty() && work.name != kStaticPowerWork);
  auto stored = store_->find(work.name, execution);
  if (!stored) return tl::unexpected(std::move(stored).error());
  if (*stored) return std::move(**stored);

  const auto start = device_->now();
  if (!start) return tl::unexpected(start.error());
  if (!lock_) lock_ = std::make_unique<ClockLock>(*device_);
  const auto attempt = attempt_on_clock(*lock_, execution.clock, [&] {
    if (!protocol_.adaptive) return measure_work(*device_, protocol_, work, execution);
    const Before before{.clock_changed = clock_ != execution.clock, .reference = reference_};
    return measure_adaptively(*device_, *protocol_.adaptive, work, execution, before, hopeless);
  });
  if (!attempt) {
    lock_.reset();
    return tl::unexpected(attempt.error());
  }
  Measurement measurement = to_measurement(work.name, execution, *attempt);
  measurement.found_by = found_by;
  const auto spent = time_since(*device_, *start);
  if (!spent) {
    lock_.reset();
    return tl::unexpected(spent.error());
  }
  measurement.spent = *spent;
  KAREUS_RETURN_IF_ERROR(keep(measurement));
  return measurement;
}

Result<Watts> Profiler::static_power(Clock clock, std::optional<Seconds> window) {
  const device::Execution execution{.clock = clock, .config = std::nullopt};
  const auto stored = store_->find(kStaticPowerWork, execution);
  if (!stored) return tl::unexpected(stored.error());
  if (*stored && (*stored)->usable()) return power(**stored);

  const auto start = device_->now();
  if (!start) return tl::unexpected(start.error());
  if (!lock_) lock_ = std::make_unique<ClockLock>(*device_);
  Protocol protocol = protocol_;
  protocol.static_power_window = window.value_or(protocol.static_power_window);
  const auto attempt = attempt_on_clock(*lock_, clock, [&] { return measure_blocked(*device_, protocol); });
  if (!attempt) {
    lock_.reset();
    return tl::unexpected(attempt.error());
  }
  if (!attempt->window) {
    lock_.reset();
    // Without this power there is no energy to speak of, so nothing is kept and the next start tries again.
    return fail(ErrorCode::device, fmt::format("the static power cannot be measured: {}", attempt->fault),
                device_->info().name);
  }
  Measurement measurement = to_measurement(kStaticPowerWork, execution, *attempt);
  const auto spent = time_since(*device_, *start);
  if (!spent) {
    lock_.reset();
    return tl::unexpected(spent.error());
  }
  measurement.spent = *spent;
  KAREUS_RETURN_IF_ERROR(keep(measurement));
  return power(measurement);
}

}  // namespace kareus::profile
