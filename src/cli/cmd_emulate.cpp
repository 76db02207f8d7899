#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/device_choice.hpp"
#include "cli/output.hpp"
#include "kareus/emulate.hpp"
#include "kareus/evaluate.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string plan;
  std::vector<std::filesystem::path> folders;
  emulate::Conditions conditions;
  double transfer_ms = 0;
  double end_ms = 0;
  std::optional<double> switch_ms;
  std::vector<std::string> stragglers;
  int parked_mhz = 0;
  bool constant_static_power = false;
  std::filesystem::path timeline;
  bool full = false;
  bool json = false;
};

/// `PIPELINE:STAGE:FACTOR`.
Result<std::vector<emulate::Straggler>> parse_stragglers(const std::vector<std::string>& texts) {
  std::vector<emulate::Straggler> stragglers;
  std::vector<Problem> problems;
  for (const std::string& text : texts) {
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
    std::optional<double> pipeline;
    std::optional<double> stage;
    std::optional<double> factor;
    if (second != std::string::npos) {
      pipeline = parse_number(text.substr(0, first));
      stage = parse_number(text.substr(first + 1, second - first - 1));
      factor = parse_number(text.substr(second + 1));
    }
    const auto whole = [](const std::optional<double>& value) {
      return value && *value >= 0 && *value <= 1e6 && *value == static_cast<int>(*value);
    };
    if (whole(pipeline) && whole(stage) && factor) {
      stragglers.push_back({static_cast<int>(*pipeline), static_cast<int>(*stage), *factor});
    } else {
      problems.push_back(
          {"--straggler", fmt::format("'{}' is not PIPELINE:STAGE:FACTOR", text), "for example 0:3:1.2"});
    }
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::usage, std::move(problems)});
  return stragglers;
}

std::string text_of(const emulate::Emulation& result) {
  const auto relative = [](double ours, double planned) { return fmt::format("{:+.2f}%", (ours / planned - 1) * 100); };
  std::vector<std::vector<std::string>> rows = {
      {"time", human(result.planned_time), human(result.time), relative(result.time.si(), result.planned_time.si())},
      {"energy", human(result.planned_energy), human(result.energy),
       relative(result.energy.si(), result.planned_energy.si())}};
  std::string text = fmt::format("{} GPUs in {} pipelines, {} of them simulated\n", result.gpus, result.pipelines,
                                 result.simulated_pipelines);
  const std::vector<std::string> header = {"", "planned", "realised", "difference"};
  text += text_table(header, rows);
  text += fmt::format("blocked GPUs take {}; {} clock switches\n", human(result.waiting_energy), result.clock_switches);
  if (result.parking_saves > Joules(0)) {
    text += fmt::format("parked clocks save {} ({:.2f}% of the energy without)\n", human(result.parking_saves),
                        100.0 * (result.parking_saves / (result.energy + result.parking_saves)));
  }
  return text;
}

std::string json_of(const emulate::Emulation& result) {
  const nlohmann::ordered_json json{{"gpus", result.gpus},
                                    {"pipelines", result.pipelines},
                                    {"simulated_pipelines", result.simulated_pipelines},
                                    {"planned_time_s", result.planned_time.si()},
                                    {"planned_energy_j", result.planned_energy.si()},
                                    {"time_s", result.time.si()},
                                    {"energy_j", result.energy.si()},
                                    {"waiting_energy_j", result.waiting_energy.si()},
                                    {"parking_saves_j", result.parking_saves.si()},
                                    {"clock_switches", result.clock_switches}};
  return json.dump(2) + "\n";
}

/// One line for every stretch of one GPU of each stage of the first pipeline.
std::string csv_of(const std::vector<std::vector<emulate::Stretch>>& timeline) {
  std::string text = "stage,start_s,duration_s,instruction,microbatch,clock_mhz,working_j,waiting_j\n";
  for (std::size_t stage = 0; stage < timeline.size(); ++stage) {
    for (const emulate::Stretch& one : timeline[stage]) {
      const std::string kind = one.instruction ? to_string(one.instruction->kind) : "wait";
      const std::string microbatch = one.instruction ? std::to_string(one.instruction->microbatch) : "";
      text += fmt::format("{},{:.9g},{:.9g},{},{},{},{:.9g},{:.9g}\n", stage, one.start.si(), one.duration.si(), kind,
                          microbatch, one.clock.mhz, one.working.si(), one.waiting.si());
    }
  }
  return text;
}

int run(const Arguments& arguments) {
  const auto plan = schedule::read_plan(arguments.plan);
  if (!plan) return print_error(plan.error());
  const auto device = choose_description(plan->provenance.device, arguments.folders);
  if (!device) return print_error(device.error());
  const auto stragglers = parse_stragglers(arguments.stragglers);
  if (!stragglers) return print_error(stragglers.error());
  emulate::Conditions conditions = arguments.conditions;
  conditions.transfer = Seconds(arguments.transfer_ms * 1e-3);
  conditions.end_of_iteration = Seconds(arguments.end_ms * 1e-3);
  conditions.switch_latency = arguments.switch_ms ? Seconds(*arguments.switch_ms * 1e-3) : device->clock_settle;
  conditions.stragglers = *stragglers;
  if (arguments.parked_mhz > 0) conditions.parked = Clock{arguments.parked_mhz};
  if (!arguments.constant_static_power) conditions.static_power = evaluate::blocked_power(*device);
  const auto result = emulate::emulate(*plan, conditions, !arguments.full);
  if (!result) return print_error(result.error());
  if (!arguments.timeline.empty()) {
    const auto timeline = emulate::timeline(*plan, conditions);
    if (!timeline) return print_error(timeline.error());
    if (auto written = write_file_atomically(arguments.timeline, csv_of(*timeline)); !written) {
      return print_error(written.error());
    }
  }
  return print_result(arguments.json ? json_of(*result) : text_of(*result));
}

}  // namespace

void add_emulate(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("emulate", "Carry out a plan on all stages of all pipelines, under real conditions");
  command->footer(
      "Example: kareus select runs/llama70b --max-throughput -o plan.json\n"
      "         kareus emulate plan.json --pipelines 128 --jitter 0.01 --straggler 5:3:1.2");
  command->add_option("plan", arguments->plan, "Plan (JSON, from kareus select -o)")->required();
  command->add_option("--devices", arguments->folders, "Folder with device descriptions (repeatable)");
  command->add_option("--pipelines", arguments->conditions.pipelines, "Data-parallel replicas instead of the plan's")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--transfer-ms", arguments->transfer_ms, "Between neighbouring stages")->capture_default_str();
  command->add_option("--end-ms", arguments->end_ms, "Gradient reduction and optimizer step")->capture_default_str();
  command->add_option("--switch-ms", arguments->switch_ms, "Clock switch; the device's unless given");
  command->add_option("--jitter", arguments->conditions.jitter, "Variation of an instruction's time on a GPU")
      ->capture_default_str();
  command->add_option("--jitter-streams", arguments->conditions.jitter_streams, "Pipelines that draw jitter apart")
      ->capture_default_str();
  command->add_option("--seed", arguments->conditions.seed, "Seed of the jitter")->capture_default_str();
  command->add_option("--straggler", arguments->stragglers, "PIPELINE:STAGE:FACTOR, counted from 0 (repeatable)");
  command->add_option("--park", arguments->parked_mhz, "Clock to wait at, in MHz")->check(CLI::PositiveNumber);
  command->add_flag("--constant-static-power", arguments->constant_static_power,
                    "Blocked GPUs draw what the plan assumes, at any clock");
  command->add_option("--timeline", arguments->timeline, "Write what the first pipeline does when (CSV) to this file");
  command->add_flag("--full", arguments->full, "Simulate every pipeline, also those that behave alike");
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
