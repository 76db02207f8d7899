#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/run_folder.hpp"
#include "cli/summary.hpp"
#include "cli/units.hpp"
#include "kareus/schedule.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string run;
  std::string deadline;
  std::string energy_budget;
  bool max_throughput = false;
  bool min_energy = false;
  std::string output;
  bool json = false;
};

Result<schedule::Request> request(const Arguments& arguments, const schedule::FrontierFile& frontier) {
  if (!arguments.deadline.empty()) {
    return parse_time(arguments.deadline, frontier.points.front().time).map([](Seconds time) {
      return schedule::Request(schedule::Deadline{time});
    });
  }
  if (!arguments.energy_budget.empty()) {
    return parse_energy(arguments.energy_budget).map([](Joules energy) {
      return schedule::Request(schedule::EnergyBudget{energy});
    });
  }
  if (arguments.min_energy) return schedule::Request(schedule::MinEnergy{});
  return schedule::Request(schedule::MaxThroughput{});
}

int run(const Arguments& arguments) {
  auto frontier = schedule::read_frontier(RunFolder::frontier_of(arguments.run));
  if (!frontier) return print_error(frontier.error());
  auto wanted = request(arguments, *frontier);
  if (!wanted) return print_error(wanted.error());
  auto index = schedule::select(*frontier, *wanted);
  if (!index) return print_error(index.error());
  const schedule::Plan plan = schedule::make_plan(*frontier, *index);
  if (!arguments.output.empty()) {
    if (auto written = write_file_atomically(arguments.output, schedule::to_json(plan)); !written) {
      return print_error(written.error());
    }
  }
  if (arguments.json) return print_result(schedule::to_json(plan));
  std::string text = plan_text(plan);
  if (!arguments.output.empty()) text += fmt::format("plan: {}\n", arguments.output);
  return print_result(text);
}

}  // namespace

void add_select(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("select", "Pick one plan of a frontier");
  command->footer("Example: kareus select runs/llama3b --deadline 4.5s -o plan.json");
  command->add_option("run", arguments->run, "Folder of a run, or a frontier file")->required();
  CLI::Option_group* wanted = command->add_option_group("request", "What is wanted (one of them)");
  wanted->add_option("--deadline", arguments->deadline,
                     "Least energy within this iteration time: 4.5s, 4500ms or 1.05x (of the fastest)");
  wanted->add_option("--energy-budget", arguments->energy_budget,
                     "Least time within this energy of the whole job's iteration: 22kJ");
  wanted->add_flag("--max-throughput", arguments->max_throughput, "The fastest plan");
  wanted->add_flag("--min-energy", arguments->min_energy, "The plan of least energy");
  wanted->require_option(1);
  command->add_option("-o,--output", arguments->output, "Write the plan (JSON) to this file");
  command->add_flag("--json", arguments->json, "Print the plan as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
