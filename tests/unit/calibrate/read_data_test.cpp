#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "calibrate/table.hpp"
#include "kareus/calibrate.hpp"

namespace kareus::calibrate {
namespace {

using ::testing::HasSubstr;

/// A folder of calibration data that a test writes.
class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("kareus-calibrate-" + std::to_string(::getpid()) + "-" +
                                                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }

  void write_powers(const std::string& rows) const {
    write("calibration.toml",
          "format = \"kareus-calibration\"\nversion = 1\ndevice = \"x\"\n[[power_sweep]]\nname = \"p\"\nfile = "
          "\"p.csv\"\n"
          "bound = \"compute\"\nsource = \"s\"\n");
    write("p.csv", rows);
  }

  std::string problems() const {
    const auto data = read_data(path_);
    return data ? std::string("none") : data.error().to_string();
  }

  std::filesystem::path path_;
};

constexpr const char* kHeader = "clock_mhz,cap_w,time_s,power_w\n";

TEST_F(Folder, ReadsAPowerSweepAndHoldsAThirdOut) {
  std::string rows = kHeader;
  for (int i = 0; i < 9; ++i) rows += std::to_string(900 + 15 * i) + ",300,10,150\n";
  write_powers(rows);
  const auto data = read_data(path_);
  ASSERT_TRUE(data) << data.error().to_string();
  ASSERT_EQ(data->powers.size(), 1U);
  int held = 0;
  for (const PowerRow& row : data->powers[0].rows) held += row.held_out ? 1 : 0;
  EXPECT_EQ(held, 3);
}

TEST_F(Folder, SaysThatPointsAreTooFew) {
  write_powers(std::string(kHeader) + "1410,300,10,150\n");
  EXPECT_THAT(problems(), HasSubstr("a fit needs at least 4"));
}

TEST_F(Folder, SuspectsAnotherUnit) {
  write_powers(std::string(kHeader) + "1410,300,10,150\n1200,300,11,0.13\n1100,300,12,120\n1000,300,13,110\n");
  EXPECT_THAT(problems(), HasSubstr("is it in the unit"));
  EXPECT_THAT(problems(), HasSubstr("p.csv:3"));
}

TEST_F(Folder, FindsContradictions) {
  write_powers(std::string(kHeader) + "1410,300,10,150\n1410,300,10,250\n1100,300,12,120\n1000,300,13,110\n");
  EXPECT_THAT(problems(), HasSubstr("for the same configuration"));
}

TEST_F(Folder, NamesEveryWrongColumn) {
  write_powers("clock,cap_w,time_ms,power_w\n1,2,3,4\n");
  EXPECT_THAT(problems(), HasSubstr("unknown column 'clock'"));
  EXPECT_THAT(problems(), HasSubstr("no column 'time_s'"));
}

/// Rows of an instruction profile of a two-stage workload.
class Profile : public Folder {
 protected:
  std::string problems_of(const std::string& rows) const {
    const auto workload = std::filesystem::path(KAREUS_SOURCE_DIR) / "workloads" / "qwen3-1.7b-tp8-mbs8-seq4096.toml";
    write("calibration.toml",
          "format = \"kareus-calibration\"\nversion = 1\ndevice = \"x\"\n[[instruction_profile]]\nname = \"i\"\n"
          "file = \"i.csv\"\nsource = \"s\"\nworkload = \"" +
              workload.string() + "\"\n");
    write("i.csv", "stage,instruction,clock_mhz,time_s,energy_j\n" + rows);
    return problems();
  }
  /// Eight rows, of which the last is given.
  static std::string rows(const std::string& last) {
    std::string text;
    for (int i = 0; i < 7; ++i) text += "0,forward," + std::to_string(900 + 30 * i) + ",0.08,20\n";
    return text + last + "\n";
  }
};

TEST_F(Profile, IsReadAndAThirdHeldOut) {
  ASSERT_EQ(problems_of(rows("1,backward,1410,0.2,60")), "none");
  const auto data = read_data(path_).value();
  ASSERT_EQ(data.instructions.size(), 1U);
  const InstructionProfile& profile = data.instructions[0];
  EXPECT_EQ(profile.workload.layers_per_stage.size(), 2U);
  EXPECT_EQ(profile.rows.back().stage, 1);
  EXPECT_EQ(profile.rows.back().direction, workload::Direction::backward);
  EXPECT_EQ(profile.rows.back().clock, Clock{1410});
  EXPECT_EQ(std::count_if(profile.rows.begin(), profile.rows.end(), [](const auto& row) { return row.held_out; }), 2);
}

TEST_F(Profile, NamesWhatItCannotMean) {
  EXPECT_THAT(problems_of("0,forward,1410,0.08,20\n"), HasSubstr("a fit needs at least 8"));
  EXPECT_THAT(problems_of(rows("2,forward,1410,0.08,20")), HasSubstr("stage 2 is not one of the 2 stages"));
  EXPECT_THAT(problems_of(rows("0,optimizer,1410,0.08,20")), HasSubstr("'optimizer' is no instruction"));
  EXPECT_THAT(problems_of(rows("0,forward,1410,80,20")), HasSubstr("is it in the unit"));
  EXPECT_THAT(problems_of(rows("0,forward,900,0.08,30")), HasSubstr("for the same configuration"));
}

TEST_F(Folder, RefusesAFolderWithoutMeasurements) {
  write("calibration.toml", "format = \"kareus-calibration\"\nversion = 1\ndevice = \"x\"\n");
  EXPECT_THAT(problems(), HasSubstr("names no measurements"));
}

TEST_F(Folder, RefusesUnknownKeysAndOtherVersions) {
  write("calibration.toml", "format = \"kareus-calibration\"\nversion = 2\ndevice = \"x\"\nsweeps = 1\n");
  EXPECT_THAT(problems(), HasSubstr("sweeps"));
  EXPECT_THAT(problems(), HasSubstr("version"));
}

TEST(HeldOut, IsAThirdAndAlwaysTheSame) {
  const auto one = held_out("table", 100);
  EXPECT_EQ(one, held_out("table", 100));
  EXPECT_NE(one, held_out("another", 100));
  EXPECT_EQ(std::count(one.begin(), one.end(), true), 33);
}

}  // namespace
}  // namespace kareus::calibrate
