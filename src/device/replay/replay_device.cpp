#include "device/replay/replay_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.hpp"
#include "device/meter.hpp"

namespace kareus::device {
namespace {

constexpr double kTemperature = 40.0;
constexpr const char* kFormat = "kareus-replay-device";

using Configuration = std::tuple<std::string, Clock, std::optional<schedule::PartitionConfig>>;

std::string describe(Clock clock, const std::optional<schedule::PartitionConfig>& config) {
  if (!config) return fmt::format("{} MHz, sequential", clock.mhz);
  return fmt::format("{} MHz, {} SMs, launch slot {}", clock.mhz, config->sm_count.value, config->launch_slot);
}

/// Smaller is nearer: the same kind of execution first, then the launch slot, the clock and the SM count.
std::tuple<bool, bool, int, int> distance(const ReplayRow& row, const Execution& execution) {
  const bool other_kind = row.config.has_value() != execution.config.has_value();
  const bool both = row.config && execution.config;
  return {other_kind, both && row.config->launch_slot != execution.config->launch_slot,
          std::abs(row.clock.mhz - execution.clock.mhz),
          both ? std::abs(row.config->sm_count.value - execution.config->sm_count.value) : 0};
}

class ReplayDevice final : public Device {
 public:
  ReplayDevice(ReplayTable table, DeviceInfo info, Watts static_power)
      : table_(std::move(table)),
        info_(std::move(info)),
        static_power_(static_power),
        meter_(info_.energy_counter_period.si()) {
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      const ReplayRow& row = table_.rows[i];
      index_.emplace(Configuration(row.work, row.clock, row.config), i);
    }
  }

  const DeviceInfo& info() const override { return info_; }

  Result<void> lock_clock(Clock clock) override {
    const bool listed = std::find(info_.clocks.begin(), info_.clocks.end(), clock) != info_.clocks.end();
    const bool measured =
        std::any_of(table_.rows.begin(), table_.rows.end(), [&](const ReplayRow& row) { return row.clock == clock; });
    if (listed || measured) return {};
    return fail(ErrorCode::bad_input, fmt::format("{} lists no clock of {} MHz", info_.name, clock.mhz), table_.name);
  }
  Result<void> unlock_clock() override { return {}; }
  Result<Joules> energy_counter() override { return Joules(meter_.counter()); }
  Result<Celsius> temperature() override { return Celsius{kTemperature}; }
  Result<Seconds> now() override { return Seconds(meter_.now()); }
  Result<void> idle(Seconds duration) override { return wait(duration); }
  Result<void> block(Seconds duration) override { return wait(duration); }

  Result<RunResult> run(const Work& work, const Execution& execution, long repetitions) override {
    if (repetitions < 1) {
      return fail(ErrorCode::bad_input, fmt::format("cannot repeat {} times", repetitions), work.name);
    }
    const auto found = index_.find(Configuration(work.name, execution.clock, execution.config));
    if (found == index_.end()) return not_measured(work.name, execution);
    const ReplayRow& row = table_.rows[found->second];
    const Seconds elapsed = row.time * static_cast<double>(repetitions);
    meter_.advance(elapsed.si(), (row.energy / row.time).si());
    return RunResult{.elapsed = elapsed, .throttled = false};
  }

  std::string checkpoint() const override {
    const Meter::State& state = meter_.state();
    return nlohmann::ordered_json{{"format", kFormat},
                                  {"version", 1},
                                  {"time_s", state.seconds},
                                  {"energy_j", state.joules},
                                  {"counter_j", state.counter}}
        .dump();
  }

  Result<void> restore(const std::string& checkpoint) override {
    const auto reject = [] {
      return fail(ErrorCode::bad_input, "is no checkpoint of a replayed device", "device checkpoint");
    };
    const auto json = nlohmann::json::parse(checkpoint, nullptr, false);
    if (!json.is_object() || json.value("format", nlohmann::json()) != kFormat) return reject();
    if (json.value("version", nlohmann::json()) != 1) return reject();
    const auto read = [&](const char* key) {
      const auto value = json.value(key, nlohmann::json());
      return value.is_number() ? value.get<double>() : -1.0;
    };
    const Meter::State state{.seconds = read("time_s"), .joules = read("energy_j"), .counter = read("counter_j")};
    for (const double value : {state.seconds, state.joules, state.counter}) {
      if (!std::isfinite(value) || value < 0.0) return reject();
    }
    meter_.set_state(state);
    return {};
  }

 private:
  Result<void> wait(Seconds duration) {
    if (!std::isfinite(duration.si()) || duration < Seconds(0.0)) {
      return fail(ErrorCode::bad_input, "a duration must be finite and not negative");
    }
    meter_.advance(duration.si(), static_power_.si());
    return {};
  }

  tl::unexpected<Error> not_measured(const std::string& work, const Execution& execution) const {
    const ReplayRow* nearest = nullptr;
    std::vector<std::string> works;
    for (const ReplayRow& row : table_.rows) {
      if (std::find(works.begin(), works.end(), row.work) == works.end()) works.push_back(row.work);
      if (row.work != work) continue;
      if (nearest == nullptr || distance(row, execution) < distance(*nearest, execution)) nearest = &row;
    }
    if (nearest == nullptr) {
      return fail(ErrorCode::device, fmt::format("no measurement of '{}'", work), table_.name, suggestion(work, works));
    }
    return fail(ErrorCode::infeasible,
                fmt::format("no measurement of '{}' at {}", work, describe(execution.clock, execution.config)),
                table_.name, "the nearest is at " + describe(nearest->clock, nearest->config));
  }

  ReplayTable table_;
  DeviceInfo info_;
  Watts static_power_;
  Meter meter_;
  std::map<Configuration, std::size_t> index_;
};

}  // namespace

std::unique_ptr<Device> make_replay_device(ReplayTable table, DeviceInfo info, Watts static_power) {
  return std::make_unique<ReplayDevice>(std::move(table), std::move(info), static_power);
}

}  // namespace kareus::device
