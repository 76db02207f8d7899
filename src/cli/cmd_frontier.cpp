#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/frontier_text.hpp"
#include "cli/output.hpp"
#include "cli/units.hpp"
#include "kareus/instruction_frontier.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string profile;
  std::vector<std::string> replicas;
  std::string schedule;
  std::string order;
  int chunks = 0;
  int microbatches = 0;
  double static_power_w = -1;
  std::string transfer_time;
  std::string gradient_reduction_time;
  std::string optimizer_time;
  std::size_t points = 20;
  bool full = false;
  std::string at_time;
  std::string at_energy;
  std::string at_straggler;
  std::string cost_model = "hull";
  std::string unit_time;
  std::string switch_latency;
  int park_mhz = 0;
  std::vector<std::string> static_power_at;
  bool verify = false;
  std::string format = "json";
  std::string output;
  bool json = false;
};

/// A duration that is 0 when it is not given.
Result<void> read_time(const std::string& text, Seconds& into) {
  if (text.empty()) return {};
  return parse_time(text, Seconds(0)).map([&](Seconds time) { into = time; });
}

Result<std::optional<planner::PointRequest>> read_request(const Arguments& arguments) {
  using Request = std::optional<planner::PointRequest>;
  if (!arguments.at_time.empty()) {
    return parse_time(arguments.at_time, Seconds(1)).map([&](Seconds time) {
      return Request(planner::AtTime{.value = time.si(), .of_fastest = arguments.at_time.ends_with('x')});
    });
  }
  if (!arguments.at_energy.empty()) {
    return parse_energy(arguments.at_energy).map([](Joules energy) { return Request(planner::AtEnergy{energy}); });
  }
  if (!arguments.at_straggler.empty()) {
    return parse_time(arguments.at_straggler, Seconds(0)).map([](Seconds time) {
      return Request(planner::AtStraggler{time});
    });
  }
  return Request();
}

/// `210=53`: watts at a clock.
Result<void> read_static_powers(const Arguments& arguments, planner::InstructionFrontierOptions& options) {
  for (const std::string& text : arguments.static_power_at) {
    const std::size_t split = text.find('=');
    const auto clock = parse_number(std::string_view(text).substr(0, split));
    const auto power =
        split == std::string::npos ? std::nullopt : parse_number(std::string_view(text).substr(split + 1));
    if (!clock || !power || *clock < 1 || *clock > 100'000 || *clock != static_cast<int>(*clock) || *power < 0) {
      return fail(ErrorCode::usage, fmt::format("'{}' is no static power at a clock", text), {},
                  "write for example 210=53 (MHz = W)");
    }
    options.static_power_at[Clock{static_cast<int>(*clock)}] = Watts(*power);
  }
  if (arguments.park_mhz > 0) options.parked = Clock{arguments.park_mhz};
  return {};
}

Result<void> read_order(const Arguments& arguments, planner::InstructionFrontierOptions& options) {
  if (arguments.order.empty()) return {};
  const auto text = read_file(arguments.order);
  if (!text) return tl::unexpected(text.error());
  auto order = pipeline::parse_order(*text, arguments.order);
  if (!order) return tl::unexpected(std::move(order).error());
  options.order = std::move(*order);
  return {};
}

Result<planner::InstructionFrontierOptions> read_options(const Arguments& arguments,
                                                         const planner::InstructionProfile& profile) {
  planner::InstructionFrontierOptions options = planner::default_options(profile);
  if (!arguments.schedule.empty()) options.schedule = arguments.schedule;
  if (arguments.chunks > 0) options.chunks = arguments.chunks;
  if (arguments.microbatches > 0) options.microbatches = arguments.microbatches;
  if (arguments.static_power_w >= 0) {
    options.static_power = Watts(arguments.static_power_w);
  } else if (!profile.settings.static_power) {
    return fail(ErrorCode::usage, "the static power of a GPU is not given", {},
                "give --static-power in W, for example 70 for an A40 or 85 for an A100");
  }
  options.cost_model = arguments.cost_model == "hull" ? planner::CostModel::hull : planner::CostModel::exponential;
  options.full = arguments.full;
  options.points = arguments.points;
  options.verify = arguments.verify;
  KAREUS_RETURN_IF_ERROR(read_time(arguments.transfer_time, options.fixed.transfer));
  KAREUS_RETURN_IF_ERROR(read_time(arguments.gradient_reduction_time, options.fixed.gradient_reduction));
  KAREUS_RETURN_IF_ERROR(read_time(arguments.optimizer_time, options.fixed.optimizer_step));
  KAREUS_RETURN_IF_ERROR(read_time(arguments.switch_latency, options.switch_latency));
  KAREUS_RETURN_IF_ERROR(read_time(arguments.unit_time, options.unit_time));
  KAREUS_RETURN_IF_ERROR(read_static_powers(arguments, options));
  KAREUS_RETURN_IF_ERROR(read_order(arguments, options));
  auto request = read_request(arguments);
  if (!request) return tl::unexpected(std::move(request).error());
  options.request = *request;
  return options;
}

/// All problems of all files at once.
Result<std::vector<planner::InstructionProfile>> read_profiles(const Arguments& arguments) {
  std::vector<std::string> files{arguments.profile};
  files.insert(files.end(), arguments.replicas.begin(), arguments.replicas.end());
  std::vector<planner::InstructionProfile> profiles;
  Error error{ErrorCode::bad_input, {}};
  for (const std::string& file : files) {
    auto profile = planner::read_profile(file);
    if (profile) {
      profiles.push_back(std::move(*profile));
    } else {
      error.code = profile.error().code;
      for (Problem& problem : profile.error().problems) error.problems.push_back(std::move(problem));
    }
  }
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  return profiles;
}

/// A folder of plan files. Others' files in it would be taken for plans of this curve, so it must be new or empty.
Result<void> write_plans(const planner::InstructionFrontier& frontier, const std::filesystem::path& folder) {
  auto files = planner::to_plan_files(frontier);
  if (!files) return tl::unexpected(std::move(files).error());
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_empty(folder, ignored)) {
    return fail(ErrorCode::usage, "is not an empty folder", folder.string(), "choose another --output");
  }
  for (const planner::PlanText& file : *files) {
    const std::filesystem::path path = folder / file.file;
    KAREUS_RETURN_IF_ERROR(create_folder(path.parent_path()));
    KAREUS_RETURN_IF_ERROR(write_file_atomically(path, file.text));
  }
  return {};
}

Result<void> write_output(const Arguments& arguments, const planner::InstructionFrontier& frontier) {
  if (arguments.format == "perseus") return write_plans(frontier, arguments.output);
  return write_file_atomically(arguments.output, arguments.format == "csv" ? to_csv(frontier) : to_json(frontier));
}

int run(const Arguments& arguments) {
  if (arguments.format == "perseus" && arguments.output.empty()) {
    return print_error(Error{ErrorCode::usage, {{"", "plan files need a folder", "give --output FOLDER"}}});
  }
  const auto profiles = read_profiles(arguments);
  if (!profiles) return print_error(profiles.error());
  const auto options = read_options(arguments, profiles->front());
  if (!options) return print_error(options.error());
  const auto frontier = planner::solve_instruction_frontier(*profiles, *options);
  if (!frontier) return print_error(frontier.error());
  for (const std::string& note : frontier->notes) spdlog::warn("{}", note);
  if (!arguments.output.empty()) {
    if (auto written = write_output(arguments, *frontier); !written) return print_error(written.error());
  }
  if (arguments.json) return print_result(to_json(*frontier));
  if (arguments.format == "csv" && arguments.output.empty()) return print_result(to_csv(*frontier));
  std::string text = frontier_text(*frontier);
  if (!arguments.output.empty()) text += fmt::format("written: {}\n", arguments.output);
  return print_result(text);
}

void add_pipeline_options(CLI::App& command, Arguments& arguments) {
  command.add_option("--replicas", arguments.replicas,
                     "Profiles of further data-parallel pipelines, all of which end before the gradients are reduced");
  CLI::Option* schedule = command.add_option("--schedule", arguments.schedule,
                                             "1f1b (default), gpipe, interleaved, zb-h1, early-recompute");
  command
      .add_option("--order", arguments.order, "Execution order of every stage (JSON), instead of a schedule by name")
      ->excludes(schedule);
  command.add_option("--chunks", arguments.chunks, "Model chunks per stage (interleaved)")->check(CLI::Range(1, 10000));
  command.add_option("--microbatches", arguments.microbatches, "Microbatches of one iteration")
      ->check(CLI::Range(1, 100'000'000));
  command.add_option("--static-power", arguments.static_power_w, "Power of a GPU that waits, in W")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--transfer-time", arguments.transfer_time, "Between neighbouring stages: 2ms");
  command.add_option("--gradient-reduction-time", arguments.gradient_reduction_time, "After a stage's last backward");
  command.add_option("--optimizer-time", arguments.optimizer_time, "After the gradient reduction");
}

void add_curve_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--cost-model", arguments.cost_model,
                  "hull (convex hull of the measurements), or exponential (fitted, to reproduce others)")
      ->check(CLI::IsMember({"hull", "exponential"}))
      ->capture_default_str();
  command.add_option("--unit-time", arguments.unit_time, "Step of the exponential model's durations; 1ms when absent");
  command.add_flag("--full", arguments.full, "Also where slowing down costs total energy");
  command.add_option("--points", arguments.points, "Times at which the curve is turned into real clocks")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  CLI::Option_group* at = command.add_option_group("one point", "Instead of the whole curve (one of them)");
  at->add_option("--at-time", arguments.at_time,
                 "Least energy within this iteration time: 4.5s, 4500ms or 1.05x (of the fastest)");
  at->add_option("--at-energy", arguments.at_energy, "Least time within this energy of one GPU per stage: 22kJ");
  at->add_option("--at-straggler", arguments.at_straggler, "Least energy when another pipeline ends at this time");
  at->require_option(0, 1);
  command.add_flag("--verify", arguments.verify, "Check every breakpoint by the separate checker");
}

void add_clock_options(CLI::App& command, Arguments& arguments) {
  command.add_option("--switch-latency", arguments.switch_latency, "What a change of clock takes: 10ms");
  CLI::Option* park =
      command.add_option("--park", arguments.park_mhz, "Clock to wait at, in MHz")->check(CLI::Range(1, 100'000));
  CLI::Option* powers = command.add_option("--static-power-at", arguments.static_power_at,
                                           "Static power by clock, MHZ=W (repeatable); linear between");
  park->needs(powers);
}

}  // namespace

void add_frontier(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("frontier", "The whole time-energy curve of a training iteration, from a profile");
  command->footer(
      "Example: kareus frontier profile.csv --microbatches 8 --static-power 70 -o curve.json\n"
      "         kareus frontier profile.csv --microbatches 8 --static-power 70 --at-straggler 7s --format perseus -o "
      "plans\n"
      "The profile has the columns stage,instruction,frequency,time,energy (MHz, s, J).");
  command->add_option("profile", arguments->profile, "Measured instructions (CSV or JSON)")->required();
  add_pipeline_options(*command, *arguments);
  add_curve_options(*command, *arguments);
  add_clock_options(*command, *arguments);
  command->add_option("--format", arguments->format, "Of --output: json, csv, or perseus (a folder of plan files)")
      ->check(CLI::IsMember({"json", "csv", "perseus"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "Write the curve and its points to this file (or folder)");
  command->add_flag("--json", arguments->json, "Print the curve and its points as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
