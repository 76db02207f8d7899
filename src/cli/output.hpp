#pragma once

#include <string>

#include "kareus/result.hpp"

namespace kareus::cli {

/// Prints every problem on stderr and returns the exit code of the error.
int print_error(const Error& error);

/// Sets up the log on stderr: messages with their level, coloured on a terminal unless NO_COLOR is set.
void start_log();

/// Prints a result on stdout. A broken pipe or a full disk is reported and gives exit code 5.
int print_result(const std::string& text);

}  // namespace kareus::cli
