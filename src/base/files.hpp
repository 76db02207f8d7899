#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kareus/result.hpp"

namespace kareus {

/// Reads a whole file. Errors: bad_input when it is absent, a directory or larger than `limit` bytes; device when
/// reading fails.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = 1ULL << 30);

/// Writes `text` to a temporary file in the same folder, flushes it to disk and renames it over `path`, so that
/// readers see the old file or the new one and never a part. Errors: device (read-only, full disk, no such folder).
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Creates the folder and its parents if needed. Errors: device.
Result<void> create_folder(const std::filesystem::path& path);

}  // namespace kareus
