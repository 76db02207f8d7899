#include "evaluate/result_file.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/config.hpp"
#include "base/files.hpp"

namespace kareus::evaluate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "kareus-evaluation-result";
constexpr int kVersion = 1;

Json outcome_json(const Outcome& outcome) {
  Json points = Json::array();
  for (const schedule::FrontierPoint& point : outcome.points) {
    points.push_back({{"time_s", point.time.si()},
                      {"energy_j", point.energy.si()},
                      {"static_j", point.static_energy.si()},
                      {"dynamic_j", point.dynamic_energy.si()}});
  }
  return {{"calibrated", outcome.calibrated},
          {"points", points},
          {"emulated_time_s", outcome.emulated_time.si()},
          {"emulated_energy_j", outcome.emulated_energy.si()},
          {"parking_saves_j", outcome.parking_saves.si()},
          {"schedules", outcome.schedules}};
}

constexpr Bounds<double> kPositive{.low = 1e-12, .high = 1e12};
constexpr Bounds<double> kNotNegative{.low = 0.0, .high = 1e12};

Outcome read_outcome(ConfigReader& reader) {
  Outcome outcome{.calibrated = reader.boolean("calibrated"),
                  .points = {},
                  .ends = {},
                  .emulated_time = Seconds(reader.number("emulated_time_s", kPositive)),
                  .emulated_energy = Joules(reader.number("emulated_energy_j", kPositive)),
                  .parking_saves = Joules(reader.number("parking_saves_j", kNotNegative)),
                  .schedules = reader.texts("schedules")};
  for (ConfigReader& entry : reader.tables("points")) {
    schedule::FrontierPoint point;
    point.time = Seconds(entry.number("time_s", kPositive));
    point.energy = Joules(entry.number("energy_j", kPositive));
    point.static_energy = Joules(entry.number("static_j", kNotNegative));
    point.dynamic_energy = Joules(entry.number("dynamic_j", kNotNegative));
    entry.reject_unknown_keys();
    if (!outcome.points.empty() && point.time < outcome.points.back().time) {
      entry.report("time_s", "the points are not in order of time");
    }
    outcome.points.push_back(std::move(point));
  }
  if (outcome.points.empty()) reader.report("points", "a frontier has at least one point");
  reader.reject_unknown_keys();
  return outcome;
}

void check_levels(ConfigReader& root, const std::vector<Outcome>& outcomes) {
  const bool one_each = outcomes.size() == 1 || outcomes.size() == 2;
  const bool in_order =
      one_each && !outcomes.front().calibrated && outcomes.back().calibrated == (outcomes.size() == 2);
  if (!in_order) root.report("outcomes", "must be a blind one, and at most a calibrated one after it");
}

}  // namespace

std::string result_to_json(const RecipeResult& result, const std::string& identity) {
  Json outcomes = Json::array();
  for (const Outcome& outcome : result.outcomes) outcomes.push_back(outcome_json(outcome));
  const Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"identity", identity},
                  {"recipe", result.recipe},
                  {"measurements", result.measurements},
                  {"profiling_gpu_hours", result.profiling_gpu_hours},
                  {"outcomes", outcomes}};
  return json.dump(1) + "\n";
}

Result<std::optional<RecipeResult>> read_result(const std::filesystem::path& path, const std::string& identity,
                                                const std::string& recipe) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  auto document = read_config(path);
  if (!document) return tl::unexpected(std::move(document).error());
  std::vector<Problem> problems;
  RecipeResult result;
  bool same = false;
  {
    ConfigReader root(*document, problems);
    if (root.text("format") != kFormat) root.report("format", "this is no result of an evaluation");
    root.integer("version", {.low = kVersion, .high = kVersion});
    same = root.text("identity") == identity;
    result.recipe = root.text("recipe");
    result.measurements = static_cast<std::size_t>(root.integer("measurements", {.low = 0, .high = 1'000'000'000}));
    result.profiling_gpu_hours = root.number("profiling_gpu_hours", {.low = 0.0, .high = 1e12});
    for (ConfigReader& entry : root.tables("outcomes")) result.outcomes.push_back(read_outcome(entry));
    if (result.recipe != recipe) root.report("recipe", "this is no result of " + recipe);
    check_levels(root, result.outcomes);
    root.reject_unknown_keys();
  }
  if (!problems.empty()) {
    problems.front().hint = "delete the file to make the result again";
    return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  }
  if (!same) return std::nullopt;
  return result;
}

}  // namespace kareus::evaluate
