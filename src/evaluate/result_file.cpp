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

Outcome read_outcome(ConfigReader& reader) {
  const Bounds<double> positive{.low = 0.0, .high = 1e12};
  Outcome outcome{.calibrated = reader.boolean("calibrated"),
                  .points = {},
                  .emulated_time = Seconds(reader.number("emulated_time_s", positive)),
                  .emulated_energy = Joules(reader.number("emulated_energy_j", positive)),
                  .parking_saves = Joules(reader.number("parking_saves_j", positive)),
                  .schedules = reader.texts("schedules")};
  for (ConfigReader& entry : reader.tables("points")) {
    schedule::FrontierPoint point;
    point.time = Seconds(entry.number("time_s", positive));
    point.energy = Joules(entry.number("energy_j", positive));
    point.static_energy = Joules(entry.number("static_j", positive));
    point.dynamic_energy = Joules(entry.number("dynamic_j", positive));
    entry.reject_unknown_keys();
    outcome.points.push_back(std::move(point));
  }
  if (outcome.points.empty()) reader.report("points", "a frontier has at least one point");
  reader.reject_unknown_keys();
  return outcome;
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

Result<std::optional<RecipeResult>> read_result(const std::filesystem::path& path, const std::string& identity) {
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
