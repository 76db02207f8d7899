#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/device_choice.hpp"
#include "cli/output.hpp"
#include "cli/summary.hpp"
#include "kareus/planner.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string clocks;
  std::string schedules;
  std::string workload;
  std::string output;
  DeviceArguments device;
  double published_static_power_w = 85.0;
  bool json = false;
};

Result<planner::RetimedPlan> import_plan(const Arguments& arguments) {
  const std::optional<std::filesystem::path> schedules =
      arguments.schedules.empty() ? std::nullopt : std::optional<std::filesystem::path>(arguments.schedules);
  auto imported = schedule::import_published_plan(arguments.clocks, schedules);
  if (!imported) return tl::unexpected(std::move(imported).error());
  auto workload = workload::read_workload(arguments.workload);
  if (!workload) return tl::unexpected(std::move(workload).error());
  auto device = choose_device(workload->device, arguments.workload, arguments.device);
  if (!device) return tl::unexpected(std::move(device).error());
  const planner::Options options;
  auto store = profile::Store::open(":memory:", planner::store_identity(*workload, device->identity, options));
  if (!store) return tl::unexpected(std::move(store).error());
  return planner::retime(*imported, *workload, device->open, *store, options,
                         Watts(arguments.published_static_power_w));
}

int run(const Arguments& arguments) {
  auto retimed = import_plan(arguments);
  if (!retimed) return print_error(retimed.error());
  for (const std::string& note : retimed->notes) spdlog::warn("{}", note);
  const std::string json = schedule::to_json(retimed->plan);
  if (!arguments.output.empty()) {
    if (auto written = write_file_atomically(arguments.output, json); !written) return print_error(written.error());
  }
  if (arguments.json) return print_result(json);
  std::string text = plan_text(retimed->plan);
  if (retimed->published_time) {
    const double gpus = static_cast<double>(retimed->plan.gpus_per_stage) * retimed->plan.pipelines;
    text += fmt::format("published: {} per iteration, {}; re-timed: {:+.1f}% time, {:+.1f}% energy\n",
                        human(*retimed->published_time), human(*retimed->published_energy * gpus),
                        (retimed->plan.time / *retimed->published_time - 1.0) * 100.0,
                        (retimed->plan.energy / *retimed->published_energy - 1.0) * 100.0);
  }
  if (!arguments.output.empty()) text += fmt::format("plan: {}\n", arguments.output);
  return print_result(text);
}

}  // namespace

void add_import(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("import", "Read a published plan and time it again on a workload");
  command->footer(
      "Example: kareus import freqs_pipeline_02495.py --schedules scheds_pipeline_02495.py \\\n"
      "           --workload workloads/llama3.2-3b-tp8-mbs8-seq4096.toml -o plan.json\n"
      "The files are read as literals; nothing in them is evaluated.");
  command->add_option("clocks", arguments->clocks, "Clocks per instruction (freqs_pipeline_*.py)")->required();
  command->add_option("--schedules", arguments->schedules, "Partition configurations (scheds_pipeline_*.py)");
  command->add_option("--workload", arguments->workload, "Workload that the plan was made for (TOML)")->required();
  command->add_option("-o,--output", arguments->output, "Write the plan (JSON) to this file");
  command->add_option("--devices", arguments->device.folders, "Folder with device descriptions (repeatable)");
  command
      ->add_option("--published-static-power", arguments->published_static_power_w,
                   "Static power the plan was made with, in W per GPU; recovers its published time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the plan as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
