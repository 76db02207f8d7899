#include "profile/window.hpp"

#include <fmt/format.h>

#include <cmath>

#include "profile/readings.hpp"

namespace kareus::profile {
namespace {

Attempt fault(std::string what, bool transient = true) {
  return {.window = std::nullopt, .fault = std::move(what), .transient = transient};
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
