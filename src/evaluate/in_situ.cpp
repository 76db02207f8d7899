#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/config.hpp"
#include "base/text.hpp"
#include "kareus/evaluate.hpp"

namespace kareus::evaluate {
namespace {

constexpr int kVersion = 1;
constexpr double kTimeDoubt = 0.015;  ///< of an iteration time: what plans of one configuration differ by

bool is_sequential(Method method) {
  return method == Method::megatron || method == Method::megatron_perseus;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method method : kMethods) names.push_back(to_string(method));
  return names;
}

EndToEndRun read_run(ConfigReader& reader) {
  EndToEndRun run;
  const std::string name = reader.text("method");
  const auto names = method_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    run.method = kMethods[found - names.begin()];
  } else if (!name.empty()) {
    reader.report("method", fmt::format("unknown method '{}'", name), suggestion(name, names));
  }
  if (run.method == Method::kareus) {
    reader.report("method", "the schedules of a kareus run depend on the costs to be learned",
                  "run sequentially and with nanobatches at default settings");
  }
  run.time = Seconds(reader.number("time_s", {.low = 1e-3, .high = 1e4}));
  const auto energy = [&](const char* key) -> std::optional<Joules> {
    if (!reader.has(key)) return std::nullopt;
    return Joules(reader.number(key, {.low = 1e-3, .high = 1e9}));
  };
  run.energy = energy("energy_j");
  run.least_energy = energy("least_energy_j");
  reader.reject_unknown_keys();
  return run;
}

/// The cost at which the predicted times meet the measured ones, by bisection: time rises with either cost.
Result<double> meet(double low, double high, const std::function<Result<double>(double)>& excess,
                    const std::string& what) {
  auto at_low = excess(low);
  if (!at_low) return tl::unexpected(std::move(at_low).error());
  if (*at_low > 0.0) {
    return fail(ErrorCode::bad_input,
                fmt::format("the {} costs less than its kernels take on this device, by {:.3f}", what, *at_low),
                "end-to-end file", "check the times and the workload, or calibrate the kernels first");
  }
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    auto at = excess(middle);
    if (!at) return tl::unexpected(std::move(at).error());
    (*at <= 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// The runs beside their predictions.
class Runs {
 public:
  Runs(const EndToEnd& measured, const Exhaustive& simulated, double scale)
      : measured_(measured), simulated_(simulated), scale_(scale) {}

  /// The costs at which the predictions meet the measured times, and in the mean the measured energies.
  Result<device::InSitu> costs() const {
    device::InSitu in_situ;
    in_situ.power = simulated_.sequential.static_power;
    auto factor = meet(
        1.0, 10.0, [&](double value) { return excess_time(true, with(in_situ, value, Seconds(0.0))); },
        "sequential run");
    if (!factor) return tl::unexpected(std::move(factor).error());
    in_situ.sequential_factor = *factor;
    auto cost = meet(
        0.0, 0.1, [&](double value) { return excess_time(false, with(in_situ, *factor, Seconds(value))); },
        "overlapped run");
    if (!cost) return tl::unexpected(std::move(cost).error());
    in_situ.partition_cost = Seconds(*cost);
    const auto below = excess_energy(in_situ);
    if (!below) return tl::unexpected(below.error());
    if (*below >= 0.0) return in_situ;  // no energies, or less than that of waiting
    auto power = meet(
        in_situ.power.si(), 5000.0,
        [&](double value) {
          device::InSitu changed = in_situ;
          changed.power = Watts(value);
          return excess_energy(changed);
        },
        "energy of the runs");
    if (!power) return tl::unexpected(std::move(power).error());
    in_situ.power = Watts(*power);
    return in_situ;
  }

 private:
  static device::InSitu with(device::InSitu in_situ, double factor, Seconds cost) {
    in_situ.sequential_factor = factor;
    in_situ.partition_cost = cost;
    return in_situ;
  }

  Result<schedule::FrontierFile> predicted(const EndToEndRun& run, const device::InSitu& in_situ) const {
    Exhaustive changed = simulated_;
    changed.info.in_situ = in_situ;
    return frontier_of(run.method, measured_.workload, changed, 2);
  }

  /// Mean over the runs of one kind of predicted minus measured time, seconds.
  Result<double> excess_time(bool sequential, const device::InSitu& in_situ) const {
    double sum = 0.0;
    double count = 0.0;
    for (const EndToEndRun& run : measured_.runs) {
      if (is_sequential(run.method) != sequential) continue;
      auto frontier = predicted(run, in_situ);
      if (!frontier) return tl::unexpected(std::move(frontier).error());
      sum += (frontier->points.front().time - run.time * scale_).si();
      count += 1.0;
    }
    return sum / count;
  }

  /// Sum over all measured energies of the relative error; 0 without any.
  Result<double> excess_energy(const device::InSitu& in_situ) const {
    double sum = 0.0;
    for (const EndToEndRun& run : measured_.runs) {
      if (!run.energy && !run.least_energy) continue;
      auto frontier = predicted(run, in_situ);
      if (!frontier) return tl::unexpected(std::move(frontier).error());
      if (run.energy) sum += frontier->points.front().energy / *run.energy - 1.0;
      if (run.least_energy) sum += frontier->points.back().energy / *run.least_energy - 1.0;
    }
    return sum;
  }

  const EndToEnd& measured_;
  const Exhaustive& simulated_;
  double scale_;  ///< of the measured times
};

}  // namespace

Result<EndToEnd> read_end_to_end(const std::filesystem::path& path) {
  auto document = read_config(path);
  if (!document) return tl::unexpected(std::move(document).error());
  std::vector<Problem> problems;
  EndToEnd result;
  std::string workload;
  {
    ConfigReader root(*document, problems);
    if (root.text("format") != "kareus-end-to-end") root.report("format", "this is no end-to-end measurement");
    root.integer("version", {.low = kVersion, .high = kVersion});
    result.device = root.text("device");
    workload = root.text("workload");
    result.source = root.text("source");
    for (ConfigReader& entry : root.tables("runs")) result.runs.push_back(read_run(entry));
    for (const bool sequential : {true, false}) {
      const bool has = std::any_of(result.runs.begin(), result.runs.end(),
                                   [&](const EndToEndRun& run) { return is_sequential(run.method) == sequential; });
      if (has) continue;
      root.report("runs", sequential ? "no run is sequential" : "no run overlaps",
                  sequential ? "add one of method `megatron`: it tells what sequential execution costs"
                             : "add one of method `nanobatching`: it tells what a partition costs");
    }
    root.reject_unknown_keys();
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  auto read = workload::read_workload(path.parent_path() / workload);
  if (!read) return tl::unexpected(std::move(read).error());
  result.workload = std::move(*read);
  return result;
}

Result<std::vector<device::Constant>> learn_in_situ(const device::DeviceDescription& device, const EndToEnd& measured) {
  if (measured.device != device.name) {
    return fail(ErrorCode::bad_input,
                fmt::format("was run on {}, the description is of {}", measured.device, device.name), "end-to-end file",
                "give the description of the device that was used");
  }
  auto simulated = simulate_all(measured.workload, device);
  if (!simulated) return tl::unexpected(std::move(simulated).error());
  const auto costs = Runs(measured, *simulated, 1.0).costs();
  if (!costs) return tl::unexpected(costs.error());
  // A shorter time than the kernels' leaves no cost.
  const device::InSitu low =
      Runs(measured, *simulated, 1.0 - kTimeDoubt)
          .costs()
          .value_or(device::InSitu{.sequential_factor = 1.0, .partition_cost = {}, .power = costs->power});
  const auto high = Runs(measured, *simulated, 1.0 + kTimeDoubt).costs();
  if (!high) return tl::unexpected(high.error());
  const auto round = [](double value) { return std::round(value * 1e4) / 1e4; };
  const auto watts = [](Watts power) { return std::round(power.si() * 10.0) / 10.0; };
  const auto microseconds = [](Seconds time) { return std::round(time.si() * 1e7) / 10.0; };
  return std::vector<device::Constant>{
      {.name = "in_situ.sequential_factor",
       .value = round(costs->sequential_factor),
       .source = measured.source,
       .grade = device::Grade::fitted,
       .range = {{round(low.sequential_factor), round(high->sequential_factor)}}},
      {.name = "in_situ.partition_cost_us",
       .value = microseconds(costs->partition_cost),
       .source = measured.source,
       .grade = device::Grade::fitted,
       .range = {{microseconds(low.partition_cost), microseconds(high->partition_cost)}}},
      {.name = "in_situ.power_w",
       .value = watts(costs->power),
       .source = measured.source,
       .grade = device::Grade::fitted,
       .range = {{std::min({watts(low.power), watts(costs->power), watts(high->power)}),
                  std::max({watts(low.power), watts(costs->power), watts(high->power)})}}}};
}

}  // namespace kareus::evaluate
