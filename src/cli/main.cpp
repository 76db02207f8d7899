#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>

#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "kareus/result.hpp"

namespace {

constexpr const char* kAbout =
    "Kareus finds every useful trade between the time and the energy of a training iteration.\n"
    "Example: kareus plan workloads/llama3.2-3b-tp8-mbs8-seq4096.toml -o runs/llama3b\n"
    "         kareus select runs/llama3b --deadline 1.05x";

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 2 usage, 3 bad input, 4 infeasible request, 5 device or permission,\n"
    "6 interrupted (run the same command again to go on), 70 internal error.";

}  // namespace

int main(int argc, char** argv) {
  using namespace kareus;
  // A closed pipe and a limit on the size of files are errors of the write that meets them, not ends of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  cli::start_log();
  int result = 0;
  CLI::App program(kAbout, "kareus");
  program.footer(kExitCodes);
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string("kareus ") + kVersion);
  cli::add_plan(program, result);
  cli::add_select(program, result);
  cli::add_report(program, result);
  cli::add_search(program, result);
  cli::add_frontier(program, result);
  cli::add_import(program, result);
  cli::add_export(program, result);
  cli::add_calibrate(program, result);
  cli::add_validate(program, result);
  cli::add_evaluate(program, result);
  cli::add_emulate(program, result);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : exit_code(ErrorCode::usage);
  } catch (const std::exception& error) {
    spdlog::critical("internal error: {}\nThis is a defect of kareus. Please report it with the command you ran.",
                     error.what());
    return exit_code(ErrorCode::internal);
  }
  return result;
}
