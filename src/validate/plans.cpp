#include <fmt/format.h>

#include <algorithm>

#include "evaluate/published.hpp"
#include "validate/checks.hpp"

namespace kareus::validate {
namespace {

using evaluate::Method;

constexpr double kPublishedKareusFactor = 1.144;  ///< on its planned times and energies, not in its description
constexpr const char* kLearnedFrom = "llama3.2-3b-tp8-mbs8-seq4096";
constexpr double kBlindTime = 0.06;
constexpr double kBlindEnergy = 0.07;
constexpr double kTimeMean = 0.07;
constexpr double kTimeEach = 0.15;
constexpr double kEnergyMean = 0.07;
constexpr double kEnergyEach = 0.12;
constexpr double kCheapestMean = 0.08;

/// Errors of one method at one level.
struct Errors {
  std::vector<double> time;
  std::vector<double> energy;
  std::vector<double> cheapest;

  void append(const Errors& other) {
    time.insert(time.end(), other.time.begin(), other.time.end());
    energy.insert(energy.end(), other.energy.begin(), other.energy.end());
    cheapest.insert(cheapest.end(), other.cheapest.begin(), other.cheapest.end());
  }
};

/// Compares the ends of a frontier with published ones; says each as a check without a tolerance.
void compare(const schedule::FrontierFile& ours, const evaluate::Points& published, double factor,
             const std::string& level, const std::string& name, Errors& errors, std::vector<Check>& checks) {
  const auto add = [&](const char* what, const char* unit, double theirs, double mine, std::vector<double>& into) {
    add_value(checks, level, name + what, unit, theirs / factor, mine, std::nullopt);
    into.push_back(checks.back().error);
  };
  add(", fastest time", "s", published.front().time.si(), ours.points.front().time.si(), errors.time);
  add(", its energy", "J", published.front().energy.si(), ours.points.front().energy.si(), errors.energy);
  add(", least energy", "J", published.back().energy.si(), ours.points.back().energy.si(), errors.cheapest);
}

}  // namespace

Result<void> check_plans(const std::vector<Planned>& planned, const Sources& sources, std::vector<Check>& checks) {
  auto published = evaluate::read_published_plans(sources.data / "validation" / "published-plans.csv");
  if (!published) return tl::unexpected(std::move(published).error());
  for (const bool in_situ : {false, true}) {
    const std::string level = in_situ ? "calibrated" : "blind";
    Errors all;
    for (const Method method : {Method::megatron_perseus, Method::nanobatching_perseus, Method::kareus}) {
      Errors errors;
      for (const Planned& one : planned) {
        if (in_situ && (one.calibrated.empty() || one.workload.name == kLearnedFrom)) continue;
        const auto found = published->find({one.workload.name, to_string(method)});
        if (found == published->end()) continue;
        const double factor = !in_situ && method == Method::kareus ? kPublishedKareusFactor : 1.0;
        compare(one.of(method, in_situ), found->second, factor, level,
                fmt::format("{} {}", to_string(method), one.workload.name), errors, checks);
      }
      const bool bounded = !in_situ && method == Method::kareus;
      const std::string name = fmt::format("{}, all workloads: ", to_string(method));
      add_errors(checks, level, name + "fastest time", errors.time, bounded ? std::optional(kBlindTime) : std::nullopt,
                 std::nullopt);
      add_errors(checks, level, name + "its energy", errors.energy,
                 bounded ? std::optional(kBlindEnergy) : std::nullopt, std::nullopt);
      add_errors(checks, level, name + "least energy", errors.cheapest, std::nullopt, std::nullopt);
      all.append(errors);
    }
    if (!in_situ) continue;
    add_errors(checks, level, "all methods and workloads: fastest time", all.time, kTimeMean, kTimeEach);
    add_errors(checks, level, "all methods and workloads: its energy", all.energy, kEnergyMean, kEnergyEach);
    add_errors(checks, level, "all methods and workloads: least energy", all.cheapest, kCheapestMean, std::nullopt);
  }
  return {};
}

}  // namespace kareus::validate
