#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/run_folder.hpp"
#include "kareus/profile.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string run;
  std::string output;
};

/// The form that `plan --replay` reads.
std::string replay_table(const std::vector<profile::Measurement>& measurements) {
  std::string text = "work,clock_mhz,sm_count,launch_slot,time_s,energy_j\n";
  for (const profile::Measurement& measurement : measurements) {
    if (!measurement.usable()) continue;
    const auto& config = measurement.execution.config;
    text += fmt::format("{},{},{},{},{},{}\n", measurement.work, measurement.execution.clock.mhz,
                        config ? std::to_string(config->sm_count.value) : "", config ? config->launch_slot : "",
                        measurement.time.si(), measurement.energy.si());
  }
  return text;
}

int run(const Arguments& arguments) {
  auto store = profile::Store::open_existing(RunFolder(arguments.run).measurements());
  if (!store) return print_error(store.error());
  auto measurements = store->measurements("");
  if (!measurements) return print_error(measurements.error());
  const std::string table = replay_table(*measurements);
  if (arguments.output.empty()) return print_result(table);
  if (auto written = write_file_atomically(arguments.output, table); !written) return print_error(written.error());
  return 0;
}

}  // namespace

void add_export(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("export", "Write a run's measurements as a table (CSV)");
  command->footer(
      "Example: kareus export runs/llama3b -o llama3b.csv\n"
      "The table can be planned from: kareus plan WORKLOAD --replay llama3b.csv --static-power 85 -o RUN");
  command->add_option("run", arguments->run, "Folder of a run")->required();
  command->add_option("-o,--output", arguments->output, "File to write; standard output when absent");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
