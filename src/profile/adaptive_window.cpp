#include "profile/adaptive_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profile/counter_fit.hpp"
#include "profile/readings.hpp"

namespace kareus::profile {
namespace {

constexpr Seconds kCalibration(0.025);  ///< of runs that only have to tell how long a repetition takes
constexpr Seconds kCoolingStep(0.25);
constexpr Seconds kWarmingStep(5.0);
constexpr double kSettledKelvin = 1.0;   ///< less in a warming step is no rise: sensors give whole degrees
constexpr double kWarmerKelvin = 1.0;    ///< above the reference that starts a cooldown
constexpr double kColderKelvin = 10.0;   ///< below it that starts a warm-up: only after a pause
constexpr double kFineShare = 0.05;      ///< of the counter's period: how well its moves are located
constexpr Seconds kLeastPeriod(0.02);    ///< for counters that move faster
constexpr double kSegmentPeriods = 2.0;  ///< between two located moves
constexpr double kPatiencePeriods = 3.0;
constexpr std::size_t kLeastMoves = 4;

/// A step that found what it read to be no measurement returns false and leaves the reason in `fault`.
class AdaptiveWindow {
 public:
  AdaptiveWindow(device::Device& device, const AdaptiveProtocol& protocol, Runner& runner, const Before& before,
                 const Hopeless& hopeless)
      : device_(device),
        protocol_(protocol),
        runner_(runner),
        before_(before),
        hopeless_(hopeless),
        period_(std::max(device.info().energy_counter_period, kLeastPeriod)) {}

  Result<Attempt> measure() {
    if (before_.clock_changed) KAREUS_RETURN_IF_ERROR(device_.idle(protocol_.settle));
    for (const auto step : {&AdaptiveWindow::calibrate, &AdaptiveWindow::reach_reference, &AdaptiveWindow::fill}) {
      const auto fine = (this->*step)();
      if (!fine) return tl::unexpected(fine.error());
      if (!*fine) return Attempt{.window = std::nullopt, .fault = fault_};
    }
    return Attempt{.window = Window{.elapsed = elapsed_,
                                    .energy = fit_.power() * elapsed_,
                                    .temperature = temperature_,
                                    .repetitions = repetitions_,
                                    .energy_interval = fit_.interval(),
                                    .throttled = throttled_,
                                    .censored = censored_},
                   .fault = {}};
  }

 private:
  bool faulty(std::string what) {
    fault_ = std::move(what);
    return false;
  }

  Result<bool> calibrate() {
    for (long repetitions = 1;;) {
      const auto run = runner_.run(repetitions);
      if (!run) return tl::unexpected(run.error());
      each_ = run->elapsed / static_cast<double>(repetitions);
      if (!is_duration(each_)) return faulty(fmt::format("the calibration took {} s", run->elapsed.si()));
      if (protocol_.longest_window / each_ > kMostRepetitions) {
        return faulty(fmt::format("one repetition took only {} s when calibrated", each_.si()));
      }
      const long wanted = repetitions_in(kCalibration);
      if (wanted <= 2 * repetitions) return true;  // what runs first may meet a clock that still moves
      repetitions = wanted;
    }
  }

  long repetitions_in(Seconds duration) const { return std::max(1L, static_cast<long>(duration / each_)); }

  Result<bool> read_temperature() {
    const auto temperature = device_.temperature();
    if (!temperature) return tl::unexpected(temperature.error());
    temperature_ = *temperature;
    return std::isfinite(temperature_.degrees) || faulty("the temperature is not a finite number");
  }

  /// Works as long as that makes the device warmer, up to `limit`.
  Result<bool> warm_up(double limit) {
    for (Seconds spent; spent < protocol_.longest_warm_up && temperature_.degrees < limit;) {
      const double colder = temperature_.degrees;
      const auto run = runner_.run(repetitions_in(kWarmingStep));
      if (!run) return tl::unexpected(run.error());
      if (!is_duration(run->elapsed)) return faulty(fmt::format("the warm-up took {} s", run->elapsed.si()));
      spent += run->elapsed;
      auto fine = read_temperature();
      if (!fine || !*fine) return fine;
      if (temperature_.degrees - colder <= kSettledKelvin) break;
    }
    return true;
  }

  Result<bool> reach_reference() {
    auto fine = read_temperature();
    if (!fine || !*fine) return fine;
    if (!before_.reference) return warm_up(HUGE_VAL);
    const double reference = before_.reference->degrees;
    if (temperature_.degrees < reference - kColderKelvin) return warm_up(reference);
    for (Seconds spent; spent < protocol_.longest_cooldown && temperature_.degrees > reference + kWarmerKelvin;
         spent += kCoolingStep) {
      KAREUS_RETURN_IF_ERROR(device_.idle(kCoolingStep));
      fine = read_temperature();
      if (!fine || !*fine) return fine;
    }
    return true;
  }

  /// Repeats for about a duration and reads time and counter after it.
  Result<bool> repeat(Seconds duration) {
    const long repetitions = repetitions_in(duration);
    const auto run = runner_.run(repetitions);
    if (!run) return tl::unexpected(run.error());
    if (!is_duration(run->elapsed)) return faulty(fmt::format("the measured window took {} s", run->elapsed.si()));
    elapsed_ += run->elapsed;
    repetitions_ += repetitions;
    throttled_ = throttled_ || run->throttled;
    return read();
  }

  Result<bool> read() {
    const auto now = device_.now();
    if (!now) return tl::unexpected(now.error());
    const auto counter = device_.energy_counter();
    if (!counter) return tl::unexpected(counter.error());
    previous_ = reading_;
    reading_ = {*now, *counter};
    return true;
  }

  /// Repeats in short runs until the counter moves, and takes the middle between the two readings for the moment.
  Result<bool> next_move() {
    const Seconds start = elapsed_;
    while (true) {
      auto fine = repeat(period_ * kFineShare);
      if (!fine || !*fine) return fine;
      const auto energy = counted(previous_.counter, reading_.counter);
      if (energy) break;
      const bool waits = reading_.counter == previous_.counter && elapsed_ - start < period_ * kPatiencePeriods;
      if (!waits) return faulty(energy.error());
    }
    // Of several moves the last one counts, and that is at most a period ago.
    const Seconds bracket = std::min(reading_.time - previous_.time, period_);
    if (!is_duration(bracket)) {
      return faulty(fmt::format("the device's time went from {} s to {} s", previous_.time.si(), reading_.time.si()));
    }
    fit_.add(reading_.time - bracket * 0.5, reading_.counter, bracket);
    return true;
  }

  Result<bool> fill() {
    auto fine = read();
    if (!fine || !*fine) return fine;
    fine = next_move();
    if (!fine || !*fine) return fine;
    // What comes before the first located move warms up, and does not count.
    elapsed_ = {};
    repetitions_ = 0;
    throttled_ = false;
    while (true) {
      const Seconds body = period_ * (kSegmentPeriods - 1.5 * kFineShare);
      if (each_ <= body) {
        fine = repeat(body);
        if (!fine || !*fine) return fine;
        if (reading_.counter < previous_.counter) return faulty(counted(previous_.counter, reading_.counter).error());
      }
      fine = next_move();
      if (!fine || !*fine) return fine;
      if (fit_.size() < kLeastMoves) continue;
      if (!(fit_.power() > Watts(0.0))) return faulty("the energy counter did not move");
      const double interval = fit_.interval();
      const Seconds span = fit_.span();
      if (span >= protocol_.longest_window) return true;
      if (span >= protocol_.shortest_window && interval <= protocol_.energy_interval) return true;
      if (hopeless_ && interval < 1.0 && hopeless_(time(), fit_.power() * time() * (1.0 - interval))) {
        censored_ = true;
        return true;
      }
    }
  }

  Seconds time() const { return elapsed_ / static_cast<double>(repetitions_); }

  struct Reading {
    Seconds time;
    Joules counter;
  };

  device::Device& device_;
  const AdaptiveProtocol& protocol_;
  Runner& runner_;
  const Before& before_;
  const Hopeless& hopeless_;
  Seconds period_;
  std::string fault_;
  Seconds each_;  ///< one repetition
  Celsius temperature_;
  Reading previous_;
  Reading reading_;
  CounterFit fit_;
  Seconds elapsed_;
  long repetitions_ = 0;
  bool throttled_ = false;
  bool censored_ = false;
};

}  // namespace

Result<Attempt> measure_adaptively(device::Device& device, const AdaptiveProtocol& protocol, const device::Work& work,
                                   const device::Execution& execution, const Before& before, const Hopeless& hopeless) {
  Runner runner(device, work, execution);
  auto attempt = AdaptiveWindow(device, protocol, runner, before, hopeless).measure();
  if (!attempt && runner.refused()) {
    return Attempt{.window = std::nullopt, .fault = attempt.error().to_string(), .transient = false};
  }
  return attempt;
}

}  // namespace kareus::profile
