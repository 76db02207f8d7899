#include "cli/output.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kareus::cli {

int print_error(const Error& error) {
  for (const Problem& problem : error.problems) {
    std::string line = problem.where.empty() ? problem.what : problem.where + ": " + problem.what;
    if (!problem.hint.empty()) line += "\n       " + problem.hint;
    spdlog::error("{}", line);
  }
  return exit_code(error.code);
}

void start_log() {
  const auto colours = std::getenv("NO_COLOR") == nullptr ? spdlog::color_mode::automatic : spdlog::color_mode::never;
  const auto log = spdlog::stderr_color_st("kareus", colours);
  log->set_pattern("%^%l%$: %v");
  spdlog::set_default_logger(log);
}

int print_result(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return 0;
  // The reader of a pipe may have seen enough; that is not our failure to report twice.
  if (errno != EPIPE) spdlog::error("cannot write the result: {}", std::strerror(errno));
  return exit_code(ErrorCode::device);
}

}  // namespace kareus::cli
