#pragma once

#include <filesystem>

#include "kareus/result.hpp"

namespace kareus::cli {

/// The root of data, devices and workloads: `given`, or when that is empty beside the program as built or installed.
/// Errors: bad_input.
Result<std::filesystem::path> root_folder(const std::filesystem::path& given);

}  // namespace kareus::cli
