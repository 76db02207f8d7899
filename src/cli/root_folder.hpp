#pragma once

#include <filesystem>

#include "kareus/result.hpp"

namespace kareus::cli {

/// The root of data, devices and workloads: beside the program as built or installed. Errors: bad_input.
Result<std::filesystem::path> root_folder();

}  // namespace kareus::cli
