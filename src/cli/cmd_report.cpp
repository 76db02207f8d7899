#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/device_choice.hpp"
#include "cli/output.hpp"
#include "cli/run_folder.hpp"
#include "kareus/planner.hpp"
#include "kareus/report.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string run;
  std::string output;
  DeviceArguments device;
};

/// The report is made from what the run holds; nothing is measured for it.
Result<std::string> render(const RunFolder& folder, const Arguments& arguments) {
  auto frontier = schedule::read_frontier(folder.frontier());
  if (!frontier) return tl::unexpected(std::move(frontier).error());
  auto workload = workload::read_workload(folder.workload());
  if (!workload) return tl::unexpected(std::move(workload).error());
  workload->name = frontier->provenance.workload;
  auto device = choose_device(workload->device, folder.workload(), arguments.device);
  if (!device) return tl::unexpected(std::move(device).error());
  std::vector<schedule::FrontierFile> baselines;
  for (const auto& path : {folder.megatron(), folder.megatron_perseus()}) {
    auto baseline = schedule::read_frontier(path);
    if (!baseline) return tl::unexpected(std::move(baseline).error());
    baselines.push_back(std::move(*baseline));
  }
  auto store = profile::Store::open_existing(folder.measurements());
  if (!store) return tl::unexpected(std::move(store).error());
  auto measurements = store->measurements("");
  if (!measurements) return tl::unexpected(std::move(measurements).error());
  auto opened = device->open(frontier->provenance.seed);
  if (!opened) return tl::unexpected(std::move(opened).error());
  auto input = planner::report_input(*workload, **opened, *measurements, std::move(*frontier), std::move(baselines));
  if (!input) return tl::unexpected(std::move(input).error());
  return report::render_html(*input);
}

int run(const Arguments& arguments) {
  const RunFolder folder(arguments.run);
  const std::filesystem::path output =
      arguments.output.empty() ? folder.report() : std::filesystem::path(arguments.output);
  auto html = render(folder, arguments);
  if (!html) return print_error(html.error());
  if (auto written = write_file_atomically(output, *html); !written) return print_error(written.error());
  return print_result(fmt::format("report: {}\n", output.string()));
}

}  // namespace

void add_report(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("report", "Write the report of a finished run again");
  command->footer("Example: kareus report runs/llama3b -o llama3b.html");
  command->add_option("run", arguments->run, "Folder of a run")->required();
  command->add_option("-o,--output", arguments->output, "File to write; report.html in the run when absent");
  command->add_option("--devices", arguments->device.folders, "Folder with device descriptions (repeatable)");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
