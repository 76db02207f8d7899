#include <fmt/format.h>

#include <algorithm>

#include "evaluate/measures.hpp"
#include "kareus/pipeline.hpp"
#include "validate/checks.hpp"

namespace kareus::validate {
namespace {

using evaluate::Method;

constexpr const char* kLevel = "orderings";
constexpr double kRounding = 1.002;       ///< plans of real options miss the exact curve by that much
constexpr double kNearlyTheSame = 1.015;  ///< times of 1350 and throttled 1410 MHz

bool is_tensor_only(const Planned& one) {
  return one.workload.parallelism.context == 1;
}

double fastest(const Planned& one, Method method) {
  return one.of(method, true).points.front().time.si();
}

/// For every point of the other frontier there is one of ours that is no slower and takes no more energy.
bool never_worse(const schedule::FrontierFile& ours, const schedule::FrontierFile& other) {
  return std::all_of(other.points.begin(), other.points.end(), [&](const schedule::FrontierPoint& theirs) {
    return std::any_of(ours.points.begin(), ours.points.end(), [&](const schedule::FrontierPoint& point) {
      return point.time <= theirs.time * kRounding && point.energy <= theirs.energy * kRounding;
    });
  });
}

bool falls_back(const schedule::FrontierFile& frontier) {
  const schedule::Plan plan = schedule::make_plan(frontier, 0);
  std::size_t sequential = 0;
  std::size_t all = 0;
  for (const auto& stage : plan.stages) {
    for (const schedule::PlannedInstruction& one : stage) {
      sequential += one.schedule.sequential ? 1 : 0;
      ++all;
    }
  }
  return 2 * sequential > all;
}

/// Time and energy of an iteration that runs at one clock throughout, nanobatched at default settings.
struct OneClock {
  double time = 0.0;
  double energy = 0.0;
};
Result<OneClock> at_one_clock(const Planned& one, int mhz) {
  evaluate::Exhaustive simulated = one.simulated;
  simulated.info.clocks = {Clock{mhz}};
  auto frontier = evaluate::frontier_of(Method::nanobatching, one.workload, simulated, 2);
  if (!frontier) return tl::unexpected(std::move(frontier).error());
  return OneClock{frontier->points.front().time.si(), frontier->points.front().energy.si()};
}

}  // namespace

void check_orderings(const std::vector<Planned>& planned, std::vector<Check>& checks) {
  std::vector<double> tensor_gains;
  std::vector<double> context_gains;
  for (const Planned& one : planned) {
    if (one.calibrated.empty()) continue;
    const std::string& name = one.workload.name;
    const auto& kareus = one.of(Method::kareus, true);
    if (is_tensor_only(one)) {
      add_statement(checks, kLevel, name + ": Megatron-LM slower than N+P slower than Kareus",
                    fastest(one, Method::megatron) > fastest(one, Method::nanobatching_perseus) &&
                        fastest(one, Method::nanobatching_perseus) > fastest(one, Method::kareus));
    }
    for (const Method other : {Method::megatron_perseus, Method::nanobatching_perseus}) {
      add_statement(checks, kLevel, fmt::format("{}: Kareus never worse than {}", name, to_string(other)),
                    never_worse(kareus, one.of(other, true)));
    }
    (is_tensor_only(one) ? tensor_gains : context_gains)
        .push_back(evaluate::time_reduction(kareus.points, one.of(Method::megatron, true).points));
    const bool small = one.workload.microbatch_size == 8 && one.workload.sequence_length == 4096;
    if (!is_tensor_only(one) && small) {
      add_statement(checks, kLevel, name + ": nanobatching loses",
                    fastest(one, Method::nanobatching_perseus) > fastest(one, Method::megatron_perseus));
      add_statement(checks, kLevel, name + ": Kareus falls back to sequential execution", falls_back(kareus));
    }
    if (name == "qwen3-1.7b-tp8-mbs8-seq4096") {
      const auto high = at_one_clock(one, 1410);
      const auto low = at_one_clock(one, 1350);
      add_statement(checks, kLevel,
                    name + ": a constant 1350 MHz takes less energy than throttled 1410 at nearly its time",
                    high && low && low->energy < high->energy && low->time < high->time * kNearlyTheSame);
      if (high && low) {
        add_points(checks, kLevel, name + ": time of 1350 against 1410 MHz", 0.0,
                   (low->time / high->time - 1.0) * 100.0, std::nullopt);
        add_points(checks, kLevel, name + ": energy of 1350 against 1410 MHz", -10.7,
                   (low->energy / high->energy - 1.0) * 100.0, std::nullopt);
      }
    }
  }
  if (tensor_gains.empty() || context_gains.empty()) return;
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  add_statement(checks, kLevel,
                fmt::format("gains larger at TP8 ({:.1f}%) than with context parallelism ({:.1f}%)", mean(tensor_gains),
                            mean(context_gains)),
                mean(tensor_gains) > mean(context_gains));
}

}  // namespace kareus::validate
