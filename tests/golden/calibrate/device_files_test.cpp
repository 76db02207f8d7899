#include <gtest/gtest.h>

#include <filesystem>

#include "calibrate/values.hpp"
#include "kareus/calibrate.hpp"

namespace kareus::calibrate {
namespace {

/// The device files of the project are what calibration makes of its data (scripts/calibrate).
class DeviceFile : public ::testing::TestWithParam<const char*> {};

TEST_P(DeviceFile, IsTheOutputOfCalibration) {
  const std::filesystem::path root = KAREUS_SOURCE_DIR;
  const auto folder = root / "data" / "calibration" / GetParam();
  const auto start = device::read_description(folder / "start.toml").value();
  const auto made = calibrate(start, read_data(folder).value()).value().device;
  const auto committed = device::read_description(root / "devices" / (std::string(GetParam()) + ".toml")).value();
  for (const device::Constant& constant : committed.constants) {
    if (constant.name.starts_with("in_situ.")) continue;  // learned from an end-to-end run besides
    // Another compiler may round another way in the fourth digit.
    EXPECT_NEAR(value_of(made, constant.name) / constant.value, 1.0, 2e-3) << constant.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Calibrated, DeviceFile, ::testing::Values("a100-sxm4-40gb", "a100-pcie-80gb"));

}  // namespace
}  // namespace kareus::calibrate
