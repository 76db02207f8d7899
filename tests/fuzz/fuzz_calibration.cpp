#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "kareus/calibrate.hpp"

/// The bytes are the list of measurements; its tables are absent, which is one more thing that may be wrong.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = [] {
    auto path = std::filesystem::temp_directory_path() / ("kareus-fuzz-calibration-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    return path;
  }();
  std::ofstream(folder / "calibration.toml")
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto result = kareus::calibrate::read_data(folder);
  if (!result && result.error().problems.empty()) __builtin_trap();
  return 0;
}
