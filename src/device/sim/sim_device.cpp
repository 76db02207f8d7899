#include "device/sim/sim_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/meter.hpp"
#include "device/sim/checkpoint.hpp"
#include "device/sim/noise.hpp"
#include "device/sim/power.hpp"
#include "device/sim/settled.hpp"
#include "device/sim/simulation_cache.hpp"
#include "device/sim/thermal.hpp"

namespace kareus::device {
namespace {

// Power is constant within a step, but for leakage, which is taken at the mean temperature. Steps grow while nothing
// changes, as the temperature settles: the low passes are exact for any step.
constexpr double kFirstStep = 0.1;
constexpr double kStepGrowth = 1.5;
constexpr long kMostRepetitions = 1'000'000'000'000;

class SimDevice final : public Device {
 public:
  SimDevice(DeviceDescription description, std::uint64_t seed)
      : description_(std::move(description)),
        info_(description_.info()),
        seed_(seed),
        clock_(description_.supported.highest),
        meter_(description_.energy_counter_period.si()),
        thermal_(description_.thermal) {
    settle_idle();
  }

  const DeviceInfo& info() const override { return info_; }

  Result<void> lock_clock(Clock clock) override {
    if (!description_.supported.contains(clock)) {
      return fail(ErrorCode::bad_input,
                  fmt::format("{} does not support a clock of {} MHz", description_.name, clock.mhz), {},
                  fmt::format("the nearest one below is {} MHz", description_.supported.at_most(clock).mhz));
    }
    set_clock(clock);
    return {};
  }

  Result<void> unlock_clock() override {
    set_clock(description_.supported.highest);
    return {};
  }

  Result<Joules> energy_counter() override { return Joules(meter_.counter()); }
  Result<Celsius> temperature() override { return Celsius{std::floor(thermal_.degrees())}; }
  Result<Seconds> now() override { return Seconds(meter_.now()); }

  Result<void> idle(Seconds duration) override {
    KAREUS_RETURN_IF_ERROR(check_duration(duration));
    pass(duration.si(), sim::clock_tree_power(description_, description_.power.idle_clock), 1.0);
    return {};
  }

  Result<void> block(Seconds duration) override {
    KAREUS_RETURN_IF_ERROR(check_duration(duration));
    const sim::NoiseDraw noise = sim::draw_noise(description_.noise, seed_, draws_++);
    pass(duration.si(), sim::clock_tree_power(description_, clock_), noise.power);
    return {};
  }

  Result<RunResult> run(const Work& work, const Execution& execution, long repetitions) override {
    if (repetitions < 1 || repetitions > kMostRepetitions) {
      return fail(ErrorCode::bad_input, fmt::format("cannot repeat {} times", repetitions), work.name);
    }
    KAREUS_RETURN_IF_ERROR(sim::check_execution(description_, work, execution));
    set_clock(execution.clock);
    return repeat(work, execution, repetitions);
  }

  /// Without noise, at the temperature that repeating the execution settles at.
  Result<std::vector<TraceInterval>> trace(const Work& work, const Execution& execution) const override {
    auto settled = sim::simulate_settled(description_, work, execution);
    if (!settled) return tl::unexpected(std::move(settled).error());
    const Watts leakage(sim::leakage_power(description_, settled->temperature.degrees));
    std::vector<TraceInterval> trace;
    for (const sim::Interval& interval : settled->simulation.timeline) {
      const int taken = interval.communication ? execution.config->sm_count.value : 0;
      trace.push_back({.start = interval.start,
                       .duration = interval.duration,
                       .clock = interval.clock,
                       .compute = interval.compute,
                       .compute_sms = interval.compute ? description_.sm_total - taken : 0,
                       .communication_sms = taken,
                       .power = interval.dynamic + interval.clock_tree + leakage});
    }
    return trace;
  }

  std::string checkpoint() const override {
    return sim::write_checkpoint({.device = description_.name,
                                  .seed = seed_,
                                  .clock = clock_,
                                  .draws = draws_,
                                  .meter = meter_.state(),
                                  .thermal = thermal_.state()});
  }

  Result<void> restore(const std::string& checkpoint) override {
    auto state = sim::parse_checkpoint(checkpoint);
    if (!state) return tl::unexpected(std::move(state).error());
    if (state->device != description_.name || state->seed != seed_) {
      return fail(ErrorCode::bad_input, fmt::format("the checkpoint is of {} with seed {}, not of {} with seed {}",
                                                    state->device, state->seed, description_.name, seed_));
    }
    if (!description_.supported.contains(state->clock)) {
      return fail(ErrorCode::bad_input,
                  fmt::format("the checkpoint's clock {} MHz is not supported", state->clock.mhz));
    }
    clock_ = state->clock;
    draws_ = state->draws;
    meter_.set_state(state->meter);
    thermal_.set_state(state->thermal);
    return {};
  }

 private:
  static Result<void> check_duration(Seconds duration) {
    if (std::isfinite(duration.si()) && duration >= Seconds(0.0)) return {};
    return fail(ErrorCode::bad_input, "a duration must be finite and not negative");
  }

  void set_clock(Clock clock) {
    if (clock == clock_) return;
    clock_ = clock;
    pass(description_.clock_settle.si(), sim::clock_tree_power(description_, description_.power.idle_clock), 1.0);
  }

  /// Starts where an idle device ends up; the feedback from temperature to leakage is a contraction.
  void settle_idle() {
    double watts = 0.0;
    for (int i = 0; i < 64; ++i) {
      thermal_.set_state({.fast_watts = watts, .slow_watts = watts});
      watts = sim::static_power(description_, description_.power.idle_clock, thermal_.degrees());
    }
  }

  /// One step at constant power but for leakage.
  void advance(double seconds, double watts_without_leakage, double factor) {
    const double before = thermal_.degrees();
    const auto total = [&](double degrees) {
      return factor * (watts_without_leakage + sim::leakage_power(description_, degrees));
    };
    const double predicted = thermal_.degrees_of(thermal_.after(seconds, total(before)));
    const double watts = total(0.5 * (before + predicted));
    thermal_.set_state(thermal_.after(seconds, watts));
    meter_.advance(seconds, watts);
  }

  void pass(double seconds, double watts_without_leakage, double factor) {
    double step = kFirstStep;
    while (seconds > 0.0) {
      const double now = std::min(step, seconds);
      advance(now, watts_without_leakage, factor);
      seconds -= now;
      step *= kStepGrowth;
    }
  }

  Result<RunResult> repeat(const Work& work, const Execution& execution, long repetitions) {
    const sim::NoiseDraw noise = sim::draw_noise(description_.noise, seed_, draws_++);
    const std::string key = sim::SimulationCache::key(work, execution);
    RunResult result;
    double step = kFirstStep;
    for (long left = repetitions; left > 0;) {
      const sim::ExecutionCost& cost = cache_.get(description_, key, work, execution, thermal_.degrees());
      const double once = cost.seconds * noise.time;
      const long fitting = once > 0.0 ? static_cast<long>(std::min(step / once, static_cast<double>(left))) : left;
      const long now = std::max(1L, fitting);
      const double seconds = static_cast<double>(now) * once;
      if (once > 0.0) advance(seconds, cost.joules_without_leakage / cost.seconds, noise.power);
      result.elapsed += Seconds(seconds);
      result.throttled = result.throttled || cost.throttled;
      left -= now;
      step *= kStepGrowth;
    }
    return result;
  }

  DeviceDescription description_;
  DeviceInfo info_;
  std::uint64_t seed_;
  Clock clock_;
  std::uint64_t draws_ = 0;
  Meter meter_;
  sim::Thermal thermal_;
  sim::SimulationCache cache_;
};

}  // namespace

std::unique_ptr<Device> make_sim_device(DeviceDescription description, std::uint64_t seed) {
  return std::make_unique<SimDevice>(std::move(description), seed);
}

}  // namespace kareus::device
