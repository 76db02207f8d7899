#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/profile.hpp"

namespace kareus::profile::testing {

/// A device that logs every call, keeps a virtual time, and fails or lies where a test says so. One repetition takes
/// 2 ms at any clock and draws 300 W; blocked it draws 80 W, idle 50 W.
class FakeDevice : public device::Device {
 public:
  FakeDevice() {
    info_.name = "fake";
    info_.clocks = {Clock{1410}, Clock{1380}};
    info_.sm_total = 108;
    info_.energy_counter_period = Seconds(0.1);
  }

  std::vector<std::string> log;
  int fail_at = -1;  ///< index of the call that fails, over all calls
  ErrorCode fail_code = ErrorCode::device;
  /// What a call gives instead, by its name and how often it was called before.
  std::function<double(int, double)> lie_counter, lie_elapsed, lie_temperature, lie_now;
  std::function<bool(long)> throttles;

  const device::DeviceInfo& info() const override { return info_; }
  device::DeviceInfo& info() { return info_; }

  Result<void> lock_clock(Clock clock) override {
    if (clock != Clock{1410} && clock != Clock{1380}) return fail(ErrorCode::bad_input, "no such clock");
    return call("lock " + std::to_string(clock.mhz));
  }
  Result<void> unlock_clock() override { return call("unlock"); }
  Result<Joules> energy_counter() override {
    KAREUS_RETURN_IF_ERROR(call("energy"));
    return Joules(lie(lie_counter, counters_++, energy_));
  }
  Result<Celsius> temperature() override {
    KAREUS_RETURN_IF_ERROR(call("temperature"));
    return Celsius{lie(lie_temperature, temperatures_++, 31.0)};
  }
  Result<Seconds> now() override {
    KAREUS_RETURN_IF_ERROR(call("now"));
    return Seconds(lie(lie_now, nows_++, time_));
  }
  Result<void> idle(Seconds duration) override {
    KAREUS_RETURN_IF_ERROR(call("idle " + number(duration.si())));
    pass(duration.si(), 50.0);
    return {};
  }
  Result<void> block(Seconds duration) override {
    KAREUS_RETURN_IF_ERROR(call("block " + number(duration.si())));
    pass(duration.si(), 80.0);
    return {};
  }
  Result<device::RunResult> run(const device::Work& work, const device::Execution&, long repetitions) override {
    KAREUS_RETURN_IF_ERROR(call("run " + work.name + " x" + std::to_string(repetitions)));
    const double elapsed = 0.002 * static_cast<double>(repetitions);
    pass(elapsed, 300.0);
    return device::RunResult{.elapsed = Seconds(lie(lie_elapsed, runs_++, elapsed)),
                             .throttled = throttles && throttles(repetitions)};
  }
  std::string checkpoint() const override { return number(time_) + " " + number(energy_); }
  Result<void> restore(const std::string& checkpoint) override {
    KAREUS_RETURN_IF_ERROR(call("restore"));
    if (std::sscanf(checkpoint.c_str(), "%lg %lg", &time_, &energy_) != 2)
      return fail(ErrorCode::bad_input, checkpoint);
    return {};
  }

  static std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }

 private:
  Result<void> call(std::string name) {
    log.push_back(std::move(name));
    if (static_cast<int>(log.size()) - 1 == fail_at) return fail(fail_code, "told to fail at " + log.back());
    return {};
  }
  static double lie(const std::function<double(int, double)>& hook, int index, double truth) {
    return hook ? hook(index, truth) : truth;
  }
  void pass(double seconds, double watts) {
    time_ += seconds;
    energy_ += watts * seconds;
  }

  device::DeviceInfo info_;
  double time_ = 100.0;
  double energy_ = 1000.0;
  int counters_ = 0, temperatures_ = 0, nows_ = 0, runs_ = 0;
};

/// A path in a folder of its own that goes with the test.
class TemporaryPath {
 public:
  TemporaryPath() {
    // In memory where there is such a folder: a store flushes to disk after every insert.
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = std::filesystem::is_directory(memory) && ::access(memory.c_str(), W_OK) == 0;
    const auto parent = usable ? memory : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "kareus-profile-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path path() const { return folder_ / "measurements.db"; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

inline Measurement a_measurement(const std::string& work, int mhz, double time, double energy) {
  Measurement measurement;
  measurement.work = work;
  measurement.execution = {.clock = Clock{mhz}, .config = schedule::PartitionConfig{SmCount{9}, "rope_0"}};
  measurement.time = Seconds(time);
  measurement.energy = Joules(energy);
  measurement.temperature = Celsius{30.25};
  measurement.window = Seconds(5.0);
  measurement.repetitions = 2500;
  measurement.energy_interval = 0.0041;
  measurement.spent = Seconds(13.0);
  measurement.found_by = "total";
  return measurement;
}

inline bool same(const Measurement& a, const Measurement& b) {
  return a.work == b.work && a.execution.clock == b.execution.clock && a.execution.config == b.execution.config &&
         a.status == b.status && a.message == b.message && a.time == b.time && a.energy == b.energy &&
         a.temperature == b.temperature && a.window == b.window && a.repetitions == b.repetitions &&
         a.energy_interval == b.energy_interval && a.spent == b.spent && a.found_by == b.found_by;
}

}  // namespace kareus::profile::testing
