#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "base/text.hpp"
#include "kareus/planner.hpp"
#include "planner/families.hpp"
#include "planner/works.hpp"

namespace kareus::planner {
namespace {

/// Shared by the families of a run: counts, the caller's callbacks, and the first error.
class Run {
 public:
  Run(const Options& options, std::size_t total) : options_(options) { progress_.total = total; }

  bool stopped() {
    const std::lock_guard lock(mutex_);
    if (!error_ && options_.interrupted && options_.interrupted()) {
      error_ = Error{
          ErrorCode::interrupted,
          {{"",
            fmt::format("stopped after {} of {} measurements; all of them are kept", progress_.done, progress_.total),
            "run the same command again to go on"}}};
    }
    return error_.has_value();
  }

  void add(const profile::Measurement& measurement, bool reused) {
    const std::lock_guard lock(mutex_);
    progress_.work = measurement.work;
    progress_.done += 1;
    progress_.reused += reused ? 1 : 0;
    progress_.device_time += measurement.spent;
    notify();
  }

  void search_progress(const std::string& type, double hypervolume) {
    const std::lock_guard lock(mutex_);
    hypervolumes_[type] = hypervolume;
    double sum = 0.0;
    for (const auto& [name, value] : hypervolumes_) sum += value;
    progress_.hypervolume = sum / static_cast<double>(hypervolumes_.size());
    notify();
  }

  void shorten(std::size_t unused) {
    const std::lock_guard lock(mutex_);
    progress_.total -= unused;
  }

  void fail_with(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  std::optional<Error> error() const { return error_; }

 private:
  void notify() {
    if (options_.on_progress) options_.on_progress(progress_);
  }

  const Options& options_;
  std::mutex mutex_;
  Progress progress_;
  std::map<std::string, double> hypervolumes_;
  std::optional<Error> error_;
};

/// Measures one family on one device group.
class FamilyMeasurer {
 public:
  FamilyMeasurer(const Family& family, const device::DeviceInfo& info, Watts static_power, const Options& options,
                 Run& run)
      : family_(family), info_(info), static_power_(static_power), options_(options), run_(run) {}

  Result<std::vector<profile::Measurement>> measure(const device::OpenDevice& open_device, profile::Store& store) {
    auto device = open_device(derive_seed(options_.seed, "device/" + family_.name));
    if (!device) return tl::unexpected(std::move(device).error());
    auto profiler = profile::Profiler::create(**device, store, options_.protocol, family_.name);
    if (!profiler) return tl::unexpected(std::move(profiler).error());
    // What the store holds of a family are its first measurements: a continued run asks in the same order.
    for (const std::string& work : work_names()) {
      auto stored = store.measurements(work);
      if (!stored) return tl::unexpected(std::move(stored).error());
      stored_ += stored->size();
    }
    const auto result = family_.type != nullptr ? search(*profiler) : fixed(*profiler);
    if (!result) return tl::unexpected(result.error());
    KAREUS_RETURN_IF_ERROR(profiler->finish());
    return std::move(measurements_);
  }

 private:
  std::vector<std::string> work_names() const {
    if (family_.type != nullptr) return {family_.type->name};
    std::vector<std::string> names;
    for (const device::Work& work : family_.works) names.push_back(work.name);
    return names;
  }

  Result<void> fixed(profile::Profiler& profiler) {
    std::vector<std::pair<const device::Work*, Clock>> order;
    for (const device::Work& work : family_.works) {
      for (const Clock clock : info_.clocks) order.emplace_back(&work, clock);
    }
    if (options_.protocol.adaptive) {
      std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    }
    for (const auto& [work, clock] : order) {
      if (run_.stopped()) return {};
      auto one = measure_one(profiler, *work, {.clock = clock, .config = {}}, "");
      if (!one) return tl::unexpected(std::move(one).error());
    }
    return {};
  }

  /// Fewer switches of the clock: from the end of the batch that is nearer to the clock of the last measurement.
  void order_by_clock(std::vector<search::Suggestion>& batch, const PartitionSpace& space) const {
    const auto clock = [&](const search::Suggestion& suggestion) {
      return space.candidates[suggestion.candidate].clock.mhz;
    };
    std::stable_sort(batch.begin(), batch.end(), [&](const auto& a, const auto& b) { return clock(a) > clock(b); });
    if (measurements_.empty()) return;
    const int last = measurements_.back().execution.clock.mhz;
    const bool nearer_to_lowest = std::abs(last - clock(batch.back())) < std::abs(last - clock(batch.front()));
    if (nearer_to_lowest) std::reverse(batch.begin(), batch.end());
  }

  /// Whether another configuration of the same clock, since a microbatch has one clock, is faster and takes less energy
  /// in total and without static power.
  bool dominated(Clock clock, Seconds time, Joules least_energy) const {
    return std::any_of(measurements_.begin(), measurements_.end(), [&](const profile::Measurement& other) {
      if (!other.usable() || other.execution.clock != clock || other.time > time) return false;
      const Joules most = other.energy * (1.0 + other.energy_interval);
      return most < least_energy && most - static_power_ * other.time < least_energy - static_power_ * time;
    });
  }

  Result<void> search(profile::Profiler& profiler) {
    const PartitionSpace space = partition_space(*family_.type, info_);
    const device::Work work = partition_work(*family_.type);
    auto optimizer = search::make_strategy(options_.strategy, space.features,
                                           search_options(*family_.type, static_power_, options_.seed));
    if (!optimizer) return tl::unexpected(std::move(optimizer).error());
    while (!(*optimizer)->finished()) {
      if (run_.stopped()) return {};
      auto batch = (*optimizer)->ask();
      if (!batch) return tl::unexpected(std::move(batch).error());
      if (batch->empty()) break;
      if (options_.protocol.adaptive) order_by_clock(*batch, space);
      std::vector<search::Evaluation> evaluations;
      for (const search::Suggestion& suggestion : *batch) {
        if (run_.stopped()) return {};
        auto one = measure_one(profiler, work, space.candidates[suggestion.candidate], to_string(suggestion.pass));
        if (!one) return tl::unexpected(std::move(one).error());
        const bool censored = one->status == profile::Status::censored;
        evaluations.push_back({.candidate = suggestion.candidate, .objectives = {}, .censored = censored});
        if (one->usable() || censored) {
          evaluations.back().objectives =
              search::Objectives{.time = one->time.si(), .energy = one->effective_energy(static_power_).si()};
        }
      }
      KAREUS_RETURN_IF_ERROR((*optimizer)->tell(evaluations));
      run_.search_progress(family_.name, covered_share());
    }
    run_.shorten(family_.expected - measurements_.size());
    return {};
  }

  Result<profile::Measurement> measure_one(profile::Profiler& profiler, const device::Work& work,
                                           const device::Execution& execution, const std::string& found_by) {
    profile::Hopeless hopeless;
    if (family_.type != nullptr) {
      hopeless = [&](Seconds time, Joules energy) { return dominated(execution.clock, time, energy); };
    }
    auto measurement = profiler.measure(work, execution, found_by, hopeless);
    if (!measurement) return measurement;
    measurements_.push_back(*measurement);
    run_.add(*measurement, measurements_.size() <= stored_);
    return measurement;
  }

  /// Share of the box up to the worst time and total energy that the front dominates.
  double covered_share() const {
    std::vector<search::Objectives> points;
    search::Objectives worst;
    for (const profile::Measurement& measurement : measurements_) {
      if (!measurement.usable()) continue;
      points.push_back({.time = measurement.time.si(), .energy = measurement.energy.si()});
      worst.time = std::max(worst.time, points.back().time);
      worst.energy = std::max(worst.energy, points.back().energy);
    }
    return points.empty() ? 0.0 : search::hypervolume(points, worst) / (worst.time * worst.energy);
  }

  const Family& family_;
  const device::DeviceInfo& info_;
  Watts static_power_;
  const Options& options_;
  Run& run_;
  std::size_t stored_ = 0;  ///< measurements of the family that the store held at the start
  std::vector<profile::Measurement> measurements_;
};

/// The clocks beside the highest at which static power is measured, highest first: f V^2 bends little between them.
std::vector<Clock> other_static_clocks(const std::vector<Clock>& clocks, const Options& options) {
  constexpr std::size_t kOthers = 3;
  std::vector<Clock> others;
  if (options.constant_static_power) return others;
  for (std::size_t i = 1; i <= kOthers; ++i) {
    const Clock clock = clocks[i * (clocks.size() - 1) / kOthers];
    if (clock != clocks.front() && (others.empty() || clock != others.back())) others.push_back(clock);
  }
  return others;
}

/// The device is as warm as a blocked one gets after the first window, so that the others can be shorter.
Seconds window_of_others(const profile::Protocol& protocol) {
  return protocol.static_power_window / 6.0;
}

Result<Measured> measure_static_power(const device::OpenDevice& open_device, profile::Store& store,
                                      const Options& options, device::DeviceInfo& info) {
  auto device = open_device(derive_seed(options.seed, "device/static_power"));
  if (!device) return tl::unexpected(std::move(device).error());
  info = (*device)->info();
  if (info.clocks.empty()) return fail(ErrorCode::bad_input, "the device lists no clocks to search", info.name);
  auto profiler = profile::Profiler::create(**device, store, options.protocol, "static_power");
  if (!profiler) return tl::unexpected(std::move(profiler).error());
  auto highest = profiler->static_power(info.clocks.front());
  if (!highest) return tl::unexpected(std::move(highest).error());
  Measured result{.static_power = *highest, .static_power_at = {}, .measurements = {}};
  const auto others = other_static_clocks(info.clocks, options);
  if (others.empty()) return result;
  result.static_power_at[info.clocks.front()] = *highest;
  for (const Clock clock : others) {
    auto power = profiler->static_power(clock, window_of_others(options.protocol));
    if (!power) return tl::unexpected(std::move(power).error());
    result.static_power_at[clock] = *power;
  }
  return result;
}

}  // namespace

Result<Measured> measure(const workload::Workload& workload, const device::OpenDevice& open_device,
                         profile::Store& store, const Options& options) {
  device::DeviceInfo info;
  auto blocked = measure_static_power(open_device, store, options, info);
  if (!blocked) return tl::unexpected(std::move(blocked).error());

  const workload::WorkloadParts parts = workload::decompose(workload, info.rates);
  const std::vector<Family> work = families(parts, info);
  std::size_t total = 0;
  for (const Family& family : work) total += family.expected;
  Run run(options, total);

  std::vector<std::vector<profile::Measurement>> measured(work.size());
  std::atomic<std::size_t> next = 0;
  const auto take_families = [&] {
    try {
      for (std::size_t i = next++; i < work.size() && !run.stopped(); i = next++) {
        FamilyMeasurer measurer(work[i], info, blocked->static_power, options, run);
        auto result = measurer.measure(open_device, store);
        if (result) {
          measured[i] = std::move(*result);
        } else {
          run.fail_with(std::move(result).error());
        }
      }
    } catch (const std::exception& exception) {
      run.fail_with({ErrorCode::internal, {{"", exception.what(), ""}}});
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < options.threads; ++i) threads.emplace_back(take_families);
    take_families();
  }
  if (run.error()) return tl::unexpected(*run.error());

  Measured result = std::move(*blocked);
  for (auto& family : measured) {
    std::move(family.begin(), family.end(), std::back_inserter(result.measurements));
  }
  return result;
}

Outline outline(const workload::Workload& workload, const device::DeviceInfo& device, const Options& options) {
  const workload::WorkloadParts parts = workload::decompose(workload, device.rates);
  Outline result;
  std::size_t measurements = 0;
  for (const Family& family : families(parts, device)) {
    measurements += family.expected;
    if (family.type == nullptr) {
      result.other_measurements += family.expected;
      continue;
    }
    const workload::PartitionType& type = *family.type;
    Outline::Type row{.name = type.name, .compute = {}, .communication = "none", .space = 0, .budget = family.expected};
    for (std::size_t i = 0; i < type.slots.size(); ++i) {
      const bool searched = std::count(type.searched_slots.begin(), type.searched_slots.end(), i) > 0;
      row.compute += (i > 0 ? " " : "") + type.slots[i].name + (searched ? "*" : "");
    }
    if (type.communication) {
      row.communication = fmt::format("{} of {:.1f} MB over {} ranks", to_string(type.communication->kind),
                                      type.communication->message.si() * 1e-6, type.communication->ranks);
    }
    row.space = partition_space(type, device).candidates.size();
    result.types.push_back(std::move(row));
  }
  const profile::Protocol& protocol = options.protocol;
  const auto others = static_cast<double>(other_static_clocks(device.clocks, options).size());
  result.device_time = protocol.expected_time() * static_cast<double>(measurements) + protocol.static_power_window +
                       window_of_others(protocol) * others;
  return result;
}

std::string store_identity(const workload::Workload& workload, const std::string& device_identity,
                           const Options& options) {
  const profile::Protocol& p = options.protocol;
  std::string times;
  if (const auto& a = p.adaptive) {
    times = fmt::format("adaptive,{},{},{},{},{},{}", a->settle.si(), a->energy_interval, a->shortest_window.si(),
                        a->longest_window.si(), a->longest_cooldown.si(), a->longest_warm_up.si());
  } else {
    times = fmt::format("{},{},{},{},{},{}", p.settle.si(), p.calibration_warmup, p.calibration_repetitions,
                        p.cooldown.si(), p.warmup, p.window.si());
  }
  return fmt::format("workload={} device={} seed={} strategy={} protocol={},{}", workload.hash(), device_identity,
                     options.seed, options.strategy, times, p.static_power_window.si());
}

}  // namespace kareus::planner
