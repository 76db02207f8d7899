#include "cli/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kareus::cli {

int print_error(const Error& error) {
  for (const Problem& problem : error.problems) {
    std::string line = "error: ";
    if (!problem.where.empty()) line += problem.where + ": ";
    line += problem.what;
    if (!problem.hint.empty()) line += "\n       " + problem.hint;
    fmt::print(stderr, "{}\n", line);
  }
  return exit_code(error.code);
}

int print_result(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return 0;
  // The reader of a pipe may have seen enough; that is not our failure to report twice.
  if (errno != EPIPE) fmt::print(stderr, "error: cannot write the result: {}\n", std::strerror(errno));
  return exit_code(ErrorCode::device);
}

}  // namespace kareus::cli
