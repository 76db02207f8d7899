#include "profile/window.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kareus::profile {
namespace {

/// More repetitions than any window holds: a shorter time per repetition is a wrong calibration.
constexpr double kMostRepetitions = 1e9;

Attempt fault(std::string what, bool transient = true) {
  return {.window = std::nullopt, .fault = std::move(what), .transient = transient};
}

bool is_duration(Seconds time) {
  return std::isfinite(time.si()) && time > Seconds(0.0);
}

/// Whether an error says something about the configuration and not about the device.
bool refuses_configuration(ErrorCode code) {
  return code == ErrorCode::bad_input || code == ErrorCode::infeasible;
}

/// Energy counted between two readings, or what is wrong with them.
tl::expected<Joules, std::string> counted(Joules before, Joules after) {
  if (!std::isfinite(before.si()) || !std::isfinite(after.si())) {
    return tl::unexpected<std::string>("the energy counter gave no finite number");
  }
  if (after == before) return tl::unexpected<std::string>("the energy counter did not move");
  if (after < before) {
    return tl::unexpected(fmt::format("the energy counter went back from {} J to {} J", before.si(), after.si()));
  }
  return after - before;
}

/// Repetitions that fill the window.
tl::expected<long, std::string> repetitions_of(const Protocol& protocol, Seconds calibration) {
  const Seconds each = calibration / static_cast<double>(protocol.calibration_repetitions);
  if (!is_duration(calibration) || !is_duration(each)) {
    return tl::unexpected(fmt::format("the calibration took {} s", calibration.si()));
  }
  const double repetitions = std::ceil(protocol.window / each);
  if (repetitions > kMostRepetitions) {
    return tl::unexpected(fmt::format("one repetition took only {} s when calibrated", each.si()));
  }
  return std::max(1L, static_cast<long>(repetitions));
}

/// Executes one work under one execution.
class Runner {
 public:
  Runner(device::Device& device, const device::Work& work, const device::Execution& execution)
      : device_(device), work_(work), execution_(execution) {}

  /// Nothing is executed for no repetitions.
  Result<device::RunResult> run(long repetitions) {
    if (repetitions == 0) return device::RunResult{};
    auto result = device_.run(work_, execution_, repetitions);
    refused_ = !result && refuses_configuration(result.error().code);
    return result;
  }
  /// Whether the last run failed because of what was to be run.
  bool refused() const { return refused_; }

 private:
  device::Device& device_;
  const device::Work& work_;
  const device::Execution& execution_;
  bool refused_ = false;
};

Result<Attempt> finish(device::Device& device, Celsius temperature, Joules before, device::RunResult run,
                       long repetitions) {
  const auto after = device.energy_counter();
  if (!after) return tl::unexpected(after.error());
  if (!is_duration(run.elapsed)) return fault(fmt::format("the measured window took {} s", run.elapsed.si()));
  if (!std::isfinite(temperature.degrees)) return fault("the temperature is not a finite number");
  const auto energy = counted(before, *after);
  if (!energy) return fault(energy.error());
  return Attempt{.window = Window{.elapsed = run.elapsed,
                                  .energy = *energy,
                                  .temperature = temperature,
                                  .repetitions = repetitions,
                                  .throttled = run.throttled},
                 .fault = {}};
}

Result<Attempt> follow(device::Device& device, const Protocol& protocol, Runner& runner) {
  KAREUS_RETURN_IF_ERROR(runner.run(protocol.calibration_warmup));
  const auto calibration = runner.run(protocol.calibration_repetitions);
  if (!calibration) return tl::unexpected(calibration.error());
  const auto repetitions = repetitions_of(protocol, calibration->elapsed);
  if (!repetitions) return fault(repetitions.error());
  KAREUS_RETURN_IF_ERROR(device.idle(protocol.cooldown));
  KAREUS_RETURN_IF_ERROR(runner.run(protocol.warmup));
  const auto temperature = device.temperature();
  if (!temperature) return tl::unexpected(temperature.error());
  const auto before = device.energy_counter();
  if (!before) return tl::unexpected(before.error());
  const auto run = runner.run(*repetitions);
  if (!run) return tl::unexpected(run.error());
  return finish(device, *temperature, *before, *run, *repetitions);
}

}  // namespace

ClockLock::~ClockLock() {
  // The error that leads here is the one to report.
  if (!released_) (void)device_->unlock_clock();
}

Result<void> ClockLock::release() {
  released_ = true;
  return device_->unlock_clock();
}

Result<Attempt> measure_work(device::Device& device, const Protocol& protocol, const device::Work& work,
                             const device::Execution& execution) {
  KAREUS_RETURN_IF_ERROR(device.idle(protocol.settle));
  Runner runner(device, work, execution);
  auto attempt = follow(device, protocol, runner);
  if (!attempt && runner.refused()) return fault(attempt.error().to_string(), false);
  return attempt;
}

Result<Attempt> measure_blocked(device::Device& device, const Protocol& protocol) {
  KAREUS_RETURN_IF_ERROR(device.idle(protocol.settle));
  const auto temperature = device.temperature();
  if (!temperature) return tl::unexpected(temperature.error());
  const auto start = device.now();
  if (!start) return tl::unexpected(start.error());
  const auto before = device.energy_counter();
  if (!before) return tl::unexpected(before.error());
  KAREUS_RETURN_IF_ERROR(device.block(protocol.static_power_window));
  const auto after = device.energy_counter();
  if (!after) return tl::unexpected(after.error());
  const auto end = device.now();
  if (!end) return tl::unexpected(end.error());
  const Seconds elapsed = *end - *start;
  if (!is_duration(elapsed)) return fault(fmt::format("the measured window took {} s", elapsed.si()));
  if (!std::isfinite(temperature->degrees)) return fault("the temperature is not a finite number");
  const auto energy = counted(*before, *after);
  if (!energy) return fault(energy.error());
  return Attempt{.window = Window{.elapsed = elapsed, .energy = *energy, .temperature = *temperature}, .fault = {}};
}

}  // namespace kareus::profile
