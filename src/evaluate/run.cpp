#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "evaluate/carry_out.hpp"
#include "evaluate/result_file.hpp"
#include "kareus/calibrate.hpp"
#include "kareus/emulate.hpp"

namespace kareus::evaluate {
namespace {

/// Simulations and searches, shared by the workloads that differ only in how often they do the same.
class Shared {
 public:
  Shared(const device::DeviceDescription& device, std::uint64_t seed) : device_(device), seed_(seed) {}

  Result<std::shared_ptr<const Exhaustive>> simulated(const workload::Workload& workload) {
    return made(simulated_, key_of(workload), [&] { return simulate_all(workload, device_); });
  }

  Result<std::shared_ptr<const planner::Measured>> measured(const Recipe& recipe, const workload::Workload& workload,
                                                            const Exhaustive& simulated) {
    const std::string key =
        fmt::format("{} {} {} {} {} {} {}", key_of(workload), to_string(recipe.method), static_cast<int>(recipe.search),
                    recipe.clocks, recipe.kernels, recipe.sequential, recipe.without ? to_string(*recipe.without) : "");
    return made(measured_, key, [&] { return measurements_of(recipe, simulated, device_.noise, seed_); });
  }

 private:
  template <class T>
  struct Entry {
    std::mutex mutex;
    std::optional<Result<std::shared_ptr<const T>>> value;
  };
  template <class T>
  using Entries = std::map<std::string, std::shared_ptr<Entry<T>>>;

  static std::string key_of(workload::Workload workload) {
    workload.microbatches = 1;
    workload.parallelism.data = 1;
    return workload.hash();
  }

  /// The value of a key, made by the first that asks; others wait for it.
  template <class T, class Make>
  Result<std::shared_ptr<const T>> made(Entries<T>& entries, const std::string& key, Make make) {
    std::shared_ptr<Entry<T>> entry;
    {
      const std::lock_guard lock(mutex_);
      auto& known = entries[key];
      if (!known) known = std::make_shared<Entry<T>>();
      entry = known;
    }
    const std::lock_guard lock(entry->mutex);
    if (!entry->value) {
      Result<T> value = make();
      if (value) {
        entry->value = std::make_shared<const T>(std::move(*value));
      } else {
        entry->value = tl::unexpected(std::move(value).error());
      }
    }
    return *entry->value;
  }

  const device::DeviceDescription& device_;
  std::uint64_t seed_;
  std::mutex mutex_;
  Entries<Exhaustive> simulated_;
  Entries<planner::Measured> measured_;
};

bool has_in_situ(const device::DeviceDescription& device) {
  return device.in_situ.sequential_factor > 1.0 || device.in_situ.partition_cost > Seconds(0.0);
}

/// The fastest point and the one of least energy.
schedule::FrontierFile ends_of(const schedule::FrontierFile& frontier) {
  std::vector<std::size_t> indices{0};
  for (std::size_t i = 1; i < frontier.points.size(); ++i) {
    if (frontier.points[i].energy < frontier.points[indices.back()].energy) {
      indices.resize(1);
      indices.push_back(i);
    }
  }
  return schedule::with_points(frontier, indices);
}

double gpu_hours(std::size_t measurements, int gpus) {
  const profile::Protocol protocol;
  const Seconds all = protocol.expected_time() * static_cast<double>(measurements) + protocol.static_power_window;
  return measurements == 0 ? 0.0 : all.si() / 3600.0 * gpus;
}

class Runner {
 public:
  Runner(std::span<const workload::Workload> workloads, const device::DeviceDescription& device,
         std::span<const Recipe> recipes, const EvaluationOptions& options)
      : device_(device), options_(options), shared_(device, options.seed) {
    device_identity_ = hex(stable_hash(calibrate::to_toml(device, "")));
    evaluation_.device = device.name;
    evaluation_.memory_capacity = device.memory_capacity;
    evaluation_.recipes.assign(recipes.begin(), recipes.end());
    for (const workload::Workload& workload : workloads) {
      evaluation_.workloads.push_back({workload, std::vector<RecipeResult>(recipes.size())});
    }
    for (std::size_t workload = 0; workload < workloads.size(); ++workload) {
      for (std::size_t recipe = 0; recipe < recipes.size(); ++recipe) tasks_.push_back({workload, recipe});
    }
    // The longest pipelines first, so that no thread is left alone with one at the end.
    std::stable_sort(tasks_.begin(), tasks_.end(), [&](const Task& a, const Task& b) {
      const auto size = [&](const Task& task) {
        return workloads[task.workload].microbatches * workloads[task.workload].parallelism.pipeline;
      };
      return size(a) > size(b);
    });
  }

  Result<Evaluation> run() {
    if (!options_.folder.empty()) KAREUS_RETURN_IF_ERROR(create_folder(options_.folder));
    const auto work = [&] {
      for (std::size_t i = next_++; i < tasks_.size(); i = next_++) {
        try {
          auto done = one(tasks_[i]);
          if (!done) return fail_with(std::move(done).error());
        } catch (const std::exception& exception) {
          return fail_with({ErrorCode::internal, {{"", exception.what(), ""}}});
        }
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int i = 1; i < options_.threads; ++i) threads.emplace_back(work);
      work();
    }
    if (error_) return tl::unexpected(std::move(*error_));
    return std::move(evaluation_);
  }

 private:
  struct Task {
    std::size_t workload;
    std::size_t recipe;
  };

  void fail_with(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    next_ = tasks_.size();
  }

  std::string identity_of(const workload::Workload& workload, const Recipe& recipe) const {
    return fmt::format("kareus {} workload={} device={} recipe={}/{}/{}/{}/{}/{}/{}/{}/{}/{} points={} seed={}",
                       kVersion, workload.hash(), device_identity_, recipe.name, to_string(recipe.method),
                       static_cast<int>(recipe.search), recipe.unit_steps, recipe.clocks, recipe.kernels,
                       recipe.sequential, recipe.parked, recipe.constant_static_power,
                       recipe.without ? to_string(*recipe.without) : "", options_.points, options_.seed);
  }

  std::filesystem::path file_of(const workload::Workload& workload, const Recipe& recipe,
                                const std::string& what = "") const {
    std::string name = workload.name + "." + recipe.name + what + ".json";
    std::replace(name.begin(), name.end(), ' ', '-');
    return options_.folder / name;
  }

  std::filesystem::path ends_file(const workload::Workload& workload, const Recipe& recipe,
                                  const Outcome& outcome) const {
    return file_of(workload, recipe, outcome.calibrated ? ".calibrated.frontier" : ".blind.frontier");
  }

  /// What an earlier run kept; nothing when a part of it is missing or is of another identity.
  Result<std::optional<RecipeResult>> kept(const workload::Workload& workload, const Recipe& recipe,
                                           const std::string& identity) const {
    auto known = read_result(file_of(workload, recipe), identity, recipe.name);
    if (!known || !*known) return known;
    for (Outcome& outcome : (*known)->outcomes) {
      const auto path = ends_file(workload, recipe, outcome);
      std::error_code error;
      if (!std::filesystem::exists(path, error)) return std::nullopt;
      auto ends = schedule::read_frontier(path);
      if (!ends) {
        ends.error().problems.front().hint = "delete the file to make the result again";
        return tl::unexpected(std::move(ends).error());
      }
      outcome.ends = std::move(*ends);
    }
    return known;
  }

  /// The result goes last: it vouches for the frontiers beside it.
  Result<void> keep(const workload::Workload& workload, const Recipe& recipe, const RecipeResult& result,
                    const std::string& identity) const {
    for (const Outcome& outcome : result.outcomes) {
      KAREUS_RETURN_IF_ERROR(
          write_file_atomically(ends_file(workload, recipe, outcome), schedule::to_json(outcome.ends)));
    }
    return write_file_atomically(file_of(workload, recipe), result_to_json(result, identity));
  }

  Result<void> one(const Task& task) {
    if (options_.interrupted && options_.interrupted()) {
      return fail(ErrorCode::interrupted, fmt::format("stopped after {} of {} results", done_, tasks_.size()), {},
                  options_.folder.empty() ? "give -o DIR to keep results" : "run the same command again to go on");
    }
    WorkloadResults& into = evaluation_.workloads[task.workload];
    const Recipe& recipe = evaluation_.recipes[task.recipe];
    const std::string identity = identity_of(into.workload, recipe);
    if (!options_.folder.empty()) {
      auto known = kept(into.workload, recipe, identity);
      if (!known) return tl::unexpected(std::move(known).error());
      if (*known) return finish(task, std::move(**known));
    }
    auto result = make(into.workload, recipe);
    if (!result) return tl::unexpected(std::move(result).error());
    if (!options_.folder.empty()) KAREUS_RETURN_IF_ERROR(keep(into.workload, recipe, *result, identity));
    return finish(task, std::move(*result));
  }

  Result<void> finish(const Task& task, RecipeResult result) {
    const std::lock_guard lock(mutex_);
    WorkloadResults& into = evaluation_.workloads[task.workload];
    if (options_.on_progress) options_.on_progress(++done_, tasks_.size(), into.workload.name + " " + result.recipe);
    into.results[task.recipe] = std::move(result);
    return {};
  }

  Result<RecipeResult> make(const workload::Workload& workload, const Recipe& recipe) {
    auto simulated = shared_.simulated(workload);
    if (!simulated) return tl::unexpected(std::move(simulated).error());
    auto measured = shared_.measured(recipe, workload, **simulated);
    if (!measured) return tl::unexpected(std::move(measured).error());
    const std::size_t count = (*measured)->measurements.size();
    RecipeResult result{.recipe = recipe.name,
                        .measurements = count,
                        .profiling_gpu_hours = gpu_hours(count, workload.parallelism.gpus_per_stage()),
                        .outcomes = {}};
    Exhaustive at_level = **simulated;
    planner::Measured planned_from = **measured;
    if (recipe.constant_static_power) planned_from.static_power_at.clear();
    if (recipe.parked) {
      // A wait costs what it costs at the idle clock, which is all that the solver needs to know.
      planned_from.static_power = blocked_power(device_)(device_.power.idle_clock);
      planned_from.static_power_at.clear();
      at_level.overlapped.static_power = planned_from.static_power;
      at_level.overlapped.static_power_at.clear();
    }
    for (const bool calibrated : {false, true}) {
      if (calibrated && !has_in_situ(device_)) continue;
      at_level.info.in_situ = calibrated ? device_.in_situ : device::InSitu{};
      auto frontier = carry_out(recipe, workload, at_level, planned_from, options_.points);
      if (!frontier) return tl::unexpected(std::move(frontier).error());
      Outcome outcome{.calibrated = calibrated,
                      .points = {},
                      .ends = ends_of(*frontier),
                      .emulated_time = {},
                      .emulated_energy = {},
                      .parking_saves = {},
                      .schedules = common_schedules(*frontier, 0)};
      KAREUS_RETURN_IF_ERROR(emulate_fastest(*frontier, recipe.parked, outcome));
      for (schedule::FrontierPoint& point : frontier->points) {
        point.choices.clear();
        outcome.points.push_back(std::move(point));
      }
      result.outcomes.push_back(std::move(outcome));
    }
    return result;
  }

  Result<void> emulate_fastest(const schedule::FrontierFile& frontier, bool parked, Outcome& outcome) const {
    const schedule::Plan plan = schedule::make_plan(frontier, 0);
    emulate::Conditions conditions;
    conditions.pipelines = 1;
    conditions.switch_latency = device_.clock_settle;
    conditions.static_power = blocked_power(device_);
    conditions.parked = device_.power.idle_clock;
    const auto emulated = emulate::emulate(plan, conditions);
    if (!emulated) return tl::unexpected(emulated.error());
    const double gpus = plan.gpus_per_stage;
    outcome.emulated_time = emulated->time;
    outcome.emulated_energy = (emulated->energy + (parked ? Joules(0) : emulated->parking_saves)) / gpus;
    outcome.parking_saves = emulated->parking_saves / gpus;
    return {};
  }

  const device::DeviceDescription& device_;
  const EvaluationOptions& options_;
  Shared shared_;
  std::string device_identity_;
  Evaluation evaluation_;
  std::vector<Task> tasks_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Evaluation> evaluate(std::span<const workload::Workload> workloads, const device::DeviceDescription& device,
                            std::span<const Recipe> recipes, const EvaluationOptions& options) {
  return Runner(workloads, device, recipes, options).run();
}

}  // namespace kareus::evaluate
