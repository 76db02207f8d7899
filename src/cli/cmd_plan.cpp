#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/device_choice.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress_view.hpp"
#include "cli/run_folder.hpp"
#include "cli/summary.hpp"
#include "kareus/memory.hpp"
#include "kareus/planner.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string workload;
  std::string output;
  DeviceArguments device;
  planner::Options options;
  std::string protocol = profile::protocol_names().front();
  double energy_interval = 0;  ///< percent; 0: the protocol's own
  std::string progress = "auto";
  bool dry_run = false;
  bool json = false;
};

std::string outline_text(const workload::Workload& workload, const planner::Outline& outline, bool json) {
  if (json) {
    nlohmann::ordered_json types = nlohmann::ordered_json::array();
    for (const auto& type : outline.types) {
      types.push_back({{"name", type.name},
                       {"launch_slots", type.compute},
                       {"communication", type.communication},
                       {"space", type.space},
                       {"budget", type.budget}});
    }
    return nlohmann::ordered_json{{"workload", workload.name},
                                  {"partition_types", types},
                                  {"other_measurements", outline.other_measurements},
                                  {"device_time_s", outline.device_time.si()}}
               .dump(2) +
           "\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& type : outline.types) {
    rows.push_back(
        {type.name, type.compute, type.communication, std::to_string(type.space), std::to_string(type.budget)});
  }
  const std::vector<std::string> header = {"partition", "launch slots (* searched)", "communication", "configurations",
                                           "measured at most"};
  std::string text = rows.empty() ? "No partitions: sequential execution only.\n" : text_table(header, rows);
  text += fmt::format("Sequential execution, non-partition work and static power: {} measurements.\n",
                      outline.other_measurements);
  text += fmt::format("About {} on the device at the protocol's times.\n", human(outline.device_time));
  return text;
}

/// Errors: usage for an option that the protocol does not have.
Result<planner::Options> options_of(const Arguments& arguments) {
  planner::Options options = arguments.options;
  options.protocol = *profile::parse_protocol(arguments.protocol);
  if (arguments.energy_interval == 0) return options;
  if (!options.protocol.adaptive) {
    return fail(ErrorCode::usage, "the published protocol has a fixed window", "--energy-interval",
                "use --protocol adaptive");
  }
  options.protocol.adaptive->energy_interval = arguments.energy_interval / 100.0;
  return options;
}

int run(const Arguments& arguments) {
  auto chosen = options_of(arguments);
  if (!chosen) return print_error(chosen.error());
  planner::Options options = std::move(*chosen);
  const std::filesystem::path path = arguments.workload;
  auto workload = workload::read_workload(path);
  if (!workload) return print_error(workload.error());
  auto device = choose_device(workload->device, path, arguments.device);
  if (!device) return print_error(device.error());
  if (auto fits = planner::check_device(*workload, device->info, path.string()); !fits)
    return print_error(fits.error());
  if (!workload->can_overlap()) {
    spdlog::warn("a microbatch of 1 cannot be split into nanobatches: planning sequential execution only");
  }
  if (const auto problem = workload::memory_problem(*workload, device->info.memory_capacity)) {
    spdlog::warn("the workload may not fit the device: {}", *problem);
  }
  if (arguments.dry_run) {
    return print_result(outline_text(*workload, planner::outline(*workload, device->info, options), arguments.json));
  }
  if (arguments.output.empty()) {
    return print_error({ErrorCode::usage, {{"", "say where the run goes: -o RUN", ""}}});
  }

  const RunFolder folder(arguments.output);
  if (auto created = folder.create(path, *workload); !created) return print_error(created.error());
  auto store =
      profile::Store::open(folder.measurements(), planner::store_identity(*workload, device->identity, options));
  if (!store) return print_error(store.error());

  options.interrupted = interrupted;
  catch_interrupts();
  Result<planner::PlanResult> result = fail(ErrorCode::internal, "not started");
  {
    ProgressView view(progress_mode(arguments.progress));
    options.on_progress = [&view](const planner::Progress& progress) { view.show(progress); };
    result = planner::plan(*workload, device->open, *store, options);
  }
  if (!result) return print_error(result.error());
  if (auto written = folder.write(*result); !written) return print_error(written.error());
  return print_result(plan_summary(*result, folder, arguments.json));
}

}  // namespace

void add_plan(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("plan", "Measure a workload and find its time-energy frontier");
  command->footer(
      "Example: kareus plan workloads/llama3.2-3b-tp8-mbs8-seq4096.toml -o runs/llama3b\n"
      "A run that was stopped goes on when the same command is given again.");
  command->add_option("workload", arguments->workload, "Workload description (TOML)")->required();
  command->add_option("-o,--output", arguments->output, "Folder of the run; created if needed");
  command->add_option("--seed", arguments->options.seed, "Seed of the search and of a simulated device")
      ->capture_default_str();
  command->add_option("--strategy", arguments->options.strategy, "How configurations are searched")
      ->check(CLI::IsMember(search::strategy_names()))
      ->capture_default_str();
  command->add_option("--protocol", arguments->protocol, "How a configuration is measured")
      ->check(CLI::IsMember(profile::protocol_names()))
      ->capture_default_str();
  command
      ->add_option("--energy-interval", arguments->energy_interval,
                   "Half-width of the 95% confidence interval of energy at which a window ends, in % (default 0.5)")
      ->check(CLI::Range(0.01, 50.0));
  arguments->options.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 2U));
  command->add_option("--threads", arguments->options.threads, "Partition types profiled at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--points", arguments->options.points, "Points of the iteration frontier")
      ->check(CLI::Range(2, 10000))
      ->capture_default_str();
  command->add_option("--devices", arguments->device.folders, "Folder with device descriptions (repeatable)");
  command->add_option("--replay", arguments->device.replay, "Answer from this table of measurements (CSV)");
  command->add_option("--static-power", arguments->device.static_power_w, "Static power of the replayed device, in W")
      ->check(CLI::PositiveNumber);
  command->add_flag("--constant-static-power", arguments->options.constant_static_power,
                    "Charge waits the static power of the highest clock, as published");
  command->add_option("--progress", arguments->progress, "auto, bar, lines or none")
      ->check(CLI::IsMember({"auto", "bar", "lines", "none"}))
      ->capture_default_str();
  command->add_flag("--dry-run", arguments->dry_run, "Print what would be measured and stop");
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
