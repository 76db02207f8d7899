#include "base/files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace kareus {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("kareus-files-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST_F(Files, WritesByRename) {
  const auto path = folder_ / "a.txt";
  ASSERT_TRUE(write_file_atomically(path, "one"));
  ASSERT_TRUE(write_file_atomically(path, "two"));
  EXPECT_EQ(*read_file(path), "two");
  EXPECT_EQ(count(), 1U) << "a temporary file was left behind";
}

TEST_F(Files, LeavesTheOldFileWhenTheNewOneCannotBeWritten) {
  ASSERT_TRUE(write_file_atomically(folder_ / "b", "old"));
  std::filesystem::create_directory(folder_ / "taken");
  std::ofstream(folder_ / "taken" / "x") << "x";
  const auto result = write_file_atomically(folder_ / "taken", "new");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::device);
  EXPECT_EQ(count(), 2U) << "a temporary file was left behind";
}

TEST_F(Files, KeepsTheOldFileWhenTheDiskIsFull) {
  // A limit on the size of files stands in for a full disk: the write fails half-way.
  ASSERT_TRUE(write_file_atomically(folder_ / "a", "old"));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto result = write_file_atomically(folder_ / "a", std::string(100000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::device);
  EXPECT_EQ(*read_file(folder_ / "a"), "old");
  EXPECT_EQ(count(), 1U) << "a temporary file was left behind";
}

TEST_F(Files, RefusesWhatIsNoFile) {
  EXPECT_EQ(read_file(folder_).error().code, ErrorCode::bad_input);
  EXPECT_EQ(read_file(folder_ / "absent").error().code, ErrorCode::bad_input);
  std::ofstream(folder_ / "big") << std::string(100, 'x');
  EXPECT_FALSE(read_file(folder_ / "big", 10));
}

}  // namespace
}  // namespace kareus
