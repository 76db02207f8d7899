#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/csv.hpp"
#include "base/files.hpp"
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

/// The two ends of a published frontier.
struct Ends {
  double fastest_s = 0.0;
  double fastest_j = 0.0;
  double cheapest_j = 0.0;
};

Result<std::map<std::pair<std::string, std::string>, Ends>> read_published(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(std::move(text).error());
  auto csv = parse_csv(*text, path.string());
  if (!csv) return tl::unexpected(std::move(csv).error());
  if (csv->header != std::vector<std::string>{"workload", "method", "time_s", "energy_j"}) {
    return fail(ErrorCode::bad_input, "the columns are not workload, method, time_s, energy_j", csv->name);
  }
  std::map<std::pair<std::string, std::string>, Ends> ends;
  for (const auto& row : csv->rows) {
    const auto time = parse_number(row[2].text);
    const auto energy = parse_number(row[3].text);
    if (!time || !energy) return fail(ErrorCode::bad_input, "not a number", csv->where(row[2]));
    Ends& one = ends[{row[0].text, row[1].text}];
    if (one.fastest_s == 0.0 || *time < one.fastest_s) {
      one.fastest_s = *time;
      one.fastest_j = *energy;
    }
    if (one.cheapest_j == 0.0 || *energy < one.cheapest_j) one.cheapest_j = *energy;
  }
  return ends;
}

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
void compare(const schedule::FrontierFile& ours, const Ends& published, double factor, const std::string& level,
             const std::string& name, Errors& errors, std::vector<Check>& checks) {
  const auto add = [&](const char* what, const char* unit, double theirs, double mine, std::vector<double>& into) {
    add_value(checks, level, name + what, unit, theirs / factor, mine, std::nullopt);
    into.push_back(checks.back().error);
  };
  add(", fastest time", "s", published.fastest_s, ours.points.front().time.si(), errors.time);
  add(", its energy", "J", published.fastest_j, ours.points.front().energy.si(), errors.energy);
  add(", least energy", "J", published.cheapest_j, ours.points.back().energy.si(), errors.cheapest);
}

}  // namespace

Result<void> check_plans(const std::vector<Planned>& planned, const Sources& sources, std::vector<Check>& checks) {
  auto published = read_published(sources.data / "validation" / "published-plans.csv");
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
