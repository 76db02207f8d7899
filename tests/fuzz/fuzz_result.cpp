#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "evaluate/result_file.hpp"

namespace {

using namespace kareus::evaluate;

const std::string kIdentity = "fuzz";
const std::string kRecipe = "kareus";

std::filesystem::path file() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("kareus-fuzz-result-" + std::to_string(::getpid()) + ".json");
  return path;
}

void write(const std::string& text) {
  std::ofstream(file(), std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// A sound result of both levels, as those that the file's is compared with.
RecipeResult sound(const std::string& recipe) {
  using kareus::Joules;
  using kareus::Seconds;
  kareus::schedule::FrontierPoint point;
  point.time = Seconds(1.0);
  point.energy = Joules(100.0);
  Outcome outcome{.calibrated = false,
                  .points = {point},
                  .ends = {},
                  .emulated_time = point.time,
                  .emulated_energy = point.energy,
                  .parking_saves = {},
                  .schedules = {}};
  RecipeResult result{.recipe = recipe, .measurements = 0, .profiling_gpu_hours = 0, .outcomes = {outcome}};
  outcome.calibrated = true;
  result.outcomes.push_back(outcome);
  return result;
}

/// Everything that an evaluation makes of a result.
void use(const RecipeResult& result) {
  Evaluation evaluation;
  evaluation.workloads.push_back(
      {.workload = {}, .results = {sound("megatron"), sound("megatron-perseus"), sound("kareus-published"), result}});
  for (const Row& row : rows(evaluation)) {
    for (const double value :
         {row.emulated_time, row.emulated_energy, row.parking_saves, row.hypervolume, row.time_reduction.value_or(0.0),
          row.energy_reduction.value_or(0.0), row.iso_time_energy.value_or(0.0), row.iso_energy_time.value_or(0.0)}) {
      if (!std::isfinite(value)) std::abort();
    }
  }
  for (const Goal& goal : goals(evaluation)) {
    if (!std::isfinite(goal.value)) std::abort();
  }
}

}  // namespace

// Any text is refused, is of another identity, or is read; what is read can be written, read again and evaluated.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  write(std::string(reinterpret_cast<const char*>(data), size));
  const auto result = read_result(file(), kIdentity, kRecipe);
  if (!result) return result.error().problems.empty() ? std::abort(), 0 : 0;
  if (!*result) return 0;
  const std::string text = result_to_json(**result, kIdentity);
  write(text);
  const auto again = read_result(file(), kIdentity, kRecipe);
  if (!again || !*again || result_to_json(**again, kIdentity) != text) std::abort();
  use(**result);
  return 0;
}
