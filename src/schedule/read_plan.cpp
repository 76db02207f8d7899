#include "base/files.hpp"
#include "schedule/json_names.hpp"
#include "schedule/json_read.hpp"

namespace kareus::schedule {
namespace {

constexpr std::int64_t kMostGpus = 1'000'000;

std::vector<PlannedInstruction> read_instructions(ConfigReader& stage) {
  std::vector<PlannedInstruction> instructions;
  OrderChecker checker;
  for (ConfigReader& reader : stage.tables("instructions")) {
    PlannedInstruction planned;
    const std::string name = reader.text("instruction");
    if (!name.empty() || reader.has("instruction")) {
      planned.instruction = checker.add(name, reader, "instruction").value_or(Instruction{});
    }
    planned.time = read_time(reader);
    planned.energy = Joules(reader.number("energy_j"));
    planned.schedule = read_schedule(reader);
    reader.reject_unknown_keys();
    instructions.push_back(std::move(planned));
  }
  return instructions;
}

}  // namespace

Result<Plan> parse_plan(std::string_view text, std::string name) {
  const auto document = open_document(text, std::move(name), kPlanFormat);
  if (!document) return tl::unexpected(document.error());
  std::vector<Problem> problems;
  ConfigReader root(*document, problems);
  root.text("format");
  root.integer("version");
  Plan plan;
  plan.provenance = read_provenance(root);
  plan.static_power = Watts(root.number("static_power_w", {.low = 0.0}));
  plan.static_power_at = read_power_by_clock(root);
  plan.gpus_per_stage = static_cast<int>(root.integer("gpus_per_stage", {.low = 1, .high = kMostGpus}));
  plan.pipelines = static_cast<int>(root.integer("pipelines", {.low = 1, .high = kMostGpus}));
  plan.time = read_time(root);
  const Energies energies = read_energies(root);
  plan.energy = energies.total;
  plan.static_energy = energies.constant;
  plan.dynamic_energy = energies.dynamic;
  for (ConfigReader& stage : root.tables("stages")) {
    plan.stages.push_back(read_instructions(stage));
    stage.reject_unknown_keys();
  }
  root.reject_unknown_keys();
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return plan;
}

Result<Plan> read_plan(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_plan(*text, path.string());
}

}  // namespace kareus::schedule
