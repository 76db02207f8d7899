#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/device_choice.hpp"
#include "cli/evaluation_tables.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/root_folder.hpp"
#include "kareus/memory.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string device = "a100-sxm4-40gb";
  std::vector<std::filesystem::path> folders;
  std::vector<std::string> workloads;
  std::string data;
  std::filesystem::path output;
  evaluate::EvaluationOptions options;
  bool ablations = false;
  bool sensitivity = false;
  bool json = false;
  bool markdown = false;
};

/// The workloads asked for, or all of the folder that are of the device. Errors: bad_input with every problem.
Result<std::vector<workload::Workload>> read_workloads(const Arguments& arguments, const std::filesystem::path& folder,
                                                       const device::DeviceDescription& device) {
  std::vector<std::filesystem::path> files(arguments.workloads.begin(), arguments.workloads.end());
  if (files.empty()) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  }
  std::vector<workload::Workload> workloads;
  std::vector<Problem> problems;
  for (const auto& file : files) {
    auto workload = workload::read_workload(file);
    if (!workload) {
      problems.insert(problems.end(), workload.error().problems.begin(), workload.error().problems.end());
    } else if (workload->device == device.name) {
      workloads.push_back(std::move(*workload));
    } else if (!arguments.workloads.empty()) {
      problems.push_back({file.string(), fmt::format("is of {}, not of {}", workload->device, device.name),
                          "give --device " + workload->device});
    }
  }
  if (problems.empty() && workloads.empty()) {
    problems.push_back({folder.string(), "no workload of " + device.name, "name some with --workloads"});
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return workloads;
}

constexpr const char* kCaseStudy = "qwen3-1.7b-tp8-mbs8-seq4096";
constexpr int kMicrobatchSizes[] = {8, 12, 16, 20};

/// Adds the tables of the ranges of constants and of microbatch sizes.
Result<void> add_sensitivity(const std::vector<workload::Workload>& workloads, const device::DeviceDescription& device,
                             const evaluate::EvaluationOptions& options, std::vector<report::ReportTable>& tables) {
  std::vector<workload::Workload> testbed;
  std::vector<workload::Workload> sizes;
  for (const workload::Workload& workload : workloads) {
    if (workload.parallelism.pipeline == 2) testbed.push_back(workload);
    if (workload.name != kCaseStudy) continue;
    for (const int size : kMicrobatchSizes) {
      sizes.push_back(workload);
      sizes.back().microbatch_size = size;
      sizes.back().name = fmt::format("qwen3-1.7b-tp8-mbs{}-seq4096", size);
    }
  }
  const auto recipes = evaluate::methods();
  auto evaluation = evaluate::evaluate(sizes, device, recipes, options);
  if (!evaluation) return tl::unexpected(std::move(evaluation).error());
  if (!sizes.empty()) tables.push_back(microbatch_table(*evaluation));
  if (testbed.empty()) return {};
  evaluate::EvaluationOptions of_ranges = options;
  if (!options.folder.empty()) of_ranges.folder = options.folder / "ranges";
  auto ranges = evaluate::sensitivity(testbed, device, of_ranges);
  if (!ranges) return tl::unexpected(std::move(ranges).error());
  tables.push_back(headline_table(*ranges));
  tables.push_back(sensitivity_table(*ranges));
  return {};
}

Result<void> write_output(const std::filesystem::path& folder, const evaluate::Evaluation& evaluation,
                          const std::vector<evaluate::PublishedRow>& published,
                          const std::vector<report::ReportTable>& tables) {
  KAREUS_RETURN_IF_ERROR(write_file_atomically(folder / "evaluation.json", evaluate::to_json(evaluation, published)));
  KAREUS_RETURN_IF_ERROR(write_file_atomically(folder / "evaluation.md", tables_as_markdown(tables)));
  return write_file_atomically(folder / "evaluation.html", report::render_html(evaluation_page(evaluation, tables)));
}

int run(const Arguments& arguments) {
  auto device = choose_description(arguments.device, arguments.folders);
  if (!device) return print_error(device.error());
  const auto root = root_folder(arguments.data);
  if (!root) return print_error(root.error());
  auto workloads = read_workloads(arguments, *root / "workloads", *device);
  if (!workloads) return print_error(workloads.error());
  for (const workload::Workload& workload : *workloads) {
    if (const auto problem = workload::memory_problem(workload, device->memory_capacity)) {
      spdlog::warn("{} may not fit the device: {}", workload.name, *problem);
    }
  }
  std::vector<evaluate::Recipe> recipes = evaluate::methods();
  if (arguments.ablations) {
    for (evaluate::Recipe& recipe : evaluate::ablations()) recipes.push_back(std::move(recipe));
  }
  evaluate::EvaluationOptions options = arguments.options;
  if (!arguments.output.empty()) options.folder = arguments.output / "results";
  options.interrupted = interrupted;
  options.on_progress = [](std::size_t done, std::size_t all, const std::string& what) {
    spdlog::info("{}/{} {}", done, all, what);
  };
  catch_interrupts();
  auto evaluation = evaluate::evaluate(*workloads, *device, recipes, options);
  if (!evaluation) return print_error(evaluation.error());
  auto published = evaluate::published_rows(*evaluation, *root / "data" / "validation" / "published-plans.csv");
  if (!published) return print_error(published.error());
  auto tables = evaluation_tables(*evaluation, *published);
  for (const evaluate::WorkloadResults& one : evaluation->workloads) {
    if (one.workload.name == kCaseStudy) tables.push_back(case_study_table(one));
  }
  if (arguments.ablations) tables.push_back(parts_table(*evaluation));
  if (arguments.sensitivity) {
    if (auto added = add_sensitivity(*workloads, *device, options, tables); !added) return print_error(added.error());
  }
  if (!arguments.output.empty()) {
    if (auto written = write_output(arguments.output, *evaluation, *published, tables); !written) {
      return print_error(written.error());
    }
  }
  if (arguments.json) return print_result(evaluate::to_json(*evaluation, *published));
  return print_result(arguments.markdown ? tables_as_markdown(tables) : tables_as_text(tables));
}

}  // namespace

void add_evaluate(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("evaluate", "Compare all methods on workloads, on the simulated device");
  command->footer(
      "Example: kareus evaluate -o evaluation\n"
      "Takes the workloads beside the program unless some are named. An evaluation with -o that was stopped goes on "
      "when\n"
      "the same command is given again.");
  command->add_option("--device", arguments->device, "Name of a known device, or a description (TOML)")
      ->capture_default_str();
  command->add_option("--devices", arguments->folders, "Folder with device descriptions (repeatable)");
  command->add_option("--workloads", arguments->workloads, "Workload descriptions (TOML) instead of all");
  command->add_option("--data", arguments->data, "Folder that holds data/ and workloads/");
  command->add_option("-o,--output", arguments->output, "Folder for results, tables and the report; created if needed");
  command->add_option("--points", arguments->options.points, "Points of every frontier")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--seed", arguments->options.seed, "Seed of the searches and of measurement noise")
      ->capture_default_str();
  arguments->options.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 2U));
  command->add_option("--threads", arguments->options.threads, "Results made at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_flag("--ablations", arguments->ablations, "Evaluate Kareus without each of its parts too");
  command->add_flag("--sensitivity", arguments->sensitivity,
                    "Vary the microbatch size, and the device's constants over their ranges");
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->add_flag("--markdown", arguments->markdown, "Print the tables as Markdown");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
