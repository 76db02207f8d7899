#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <thread>

#include "base/files.hpp"
#include "fake_device.hpp"
#include "profile/sqlite.hpp"

namespace kareus::profile {
namespace {

using testing::a_measurement;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::same;
using testing::TemporaryPath;

constexpr const char* kIdentity = "qwen3 on a100, seed 7";

Store open(const TemporaryPath& file) {
  auto store = Store::open(file.path(), kIdentity);
  if (!store) throw std::runtime_error(store.error().to_string());
  return std::move(*store);
}

Error refusal(const std::filesystem::path& path, const std::string& identity = kIdentity) {
  auto store = Store::open(path, identity);
  if (store) return Error{ErrorCode::internal, {{"", "accepted", ""}}};
  return store.error();
}

/// The device state of a family, or `nothing`.
std::string state_of(const Store& store, const std::string& family) {
  const auto state = store.device_checkpoint(family);
  return state ? state->value_or("nothing") : state.error().to_string();
}

/// Runs SQL on the file as another program would.
void alter(const std::filesystem::path& path, const char* sql) {
  auto database = Database::open(path);
  ASSERT_TRUE(database);
  const auto done = database->execute(sql);
  ASSERT_TRUE(done) << done.error().to_string();
}

TEST(Store, KeepsMeasurementsInOrderAndExactly) {
  TemporaryPath file;
  auto first = a_measurement("fwd_attn", 1410, 0.1 + 0.2, 1e-300);
  auto second = a_measurement("fwd_mlp", 1380, 5e-324, 0.7);
  second.execution.config.reset();
  second.status = Status::throttled;
  second.message = std::string("with a \0 inside and 'quotes'", 28);
  Measurement third;
  third.work = "fwd_attn";
  third.execution.clock = Clock{900};
  third.status = Status::failed;
  third.message = "refused";
  {
    Store store = open(file);
    for (const auto& one : {first, second, third}) ASSERT_TRUE(store.insert(one, "fwd_attn", "state"));
  }
  const Store store = open(file);
  const auto all = store.measurements("");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3U);
  EXPECT_TRUE(same((*all)[0], first));
  EXPECT_TRUE(same((*all)[1], second));
  EXPECT_TRUE(same((*all)[2], third));
  const auto attention = store.measurements("fwd_attn");
  ASSERT_TRUE(attention);
  ASSERT_EQ(attention->size(), 2U);
  EXPECT_TRUE(same((*attention)[1], third));
}

TEST(Store, FindsByWorkAndExecution) {
  TemporaryPath file;
  Store store = open(file);
  auto one = a_measurement("w", 1410, 0.1, 1.0);
  auto sequential = a_measurement("w", 1410, 0.2, 2.0);
  sequential.execution.config.reset();
  ASSERT_TRUE(store.insert(one, "f", ""));
  ASSERT_TRUE(store.insert(sequential, "f", ""));
  const auto found = store.find("w", one.execution);
  ASSERT_TRUE(found);
  ASSERT_TRUE(*found);
  EXPECT_TRUE(same(**found, one));
  EXPECT_TRUE(same(**store.find("w", sequential.execution), sequential));
  EXPECT_FALSE(*store.find("v", one.execution));
  auto other = one.execution;
  other.config->sm_count.value = 12;
  EXPECT_FALSE(*store.find("w", other));
  other = one.execution;
  other.clock.mhz = 1380;
  EXPECT_FALSE(*store.find("w", other));
  // A usable measurement is preferred to a later failure, and a later one to an earlier.
  Measurement failed;
  failed.work = "w";
  failed.execution = one.execution;
  failed.status = Status::failed;
  ASSERT_TRUE(store.insert(failed, "f", ""));
  EXPECT_TRUE(same(**store.find("w", one.execution), one));
  one.time = Seconds(0.3);
  ASSERT_TRUE(store.insert(one, "f", ""));
  EXPECT_TRUE(same(**store.find("w", one.execution), one));
}

TEST(Store, KeepsTheLastDeviceStateOfEachFamily) {
  TemporaryPath file;
  Store store = open(file);
  EXPECT_EQ(state_of(store, "a"), "nothing");
  const std::string binary("\0\x01 state", 8);
  ASSERT_TRUE(store.insert(a_measurement("w", 1, 1, 1), "a", "old"));
  ASSERT_TRUE(store.insert(a_measurement("w", 2, 1, 1), "b", ""));
  ASSERT_TRUE(store.insert(a_measurement("w", 3, 1, 1), "a", binary));
  EXPECT_EQ(state_of(store, "a"), binary);
  EXPECT_EQ(state_of(store, "b"), "");
}

TEST(Store, WhatIsNoNumberIsNeverStored) {
  TemporaryPath file;
  Store store = open(file);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity}) {
    auto one = a_measurement("w", 1410, bad, 1.0);
    EXPECT_FALSE(store.insert(one, "f", ""));
    one = a_measurement("w", 1410, 1.0, bad);
    EXPECT_FALSE(store.insert(one, "f", ""));
    one = a_measurement("w", 1410, 1.0, 1.0);
    one.temperature.degrees = bad;
    EXPECT_FALSE(store.insert(one, "f", ""));
    one = a_measurement("w", 1410, 1.0, 1.0);
    one.spent = Seconds(bad);
    EXPECT_FALSE(store.insert(one, "f", ""));
  }
  EXPECT_FALSE(store.insert(a_measurement("w", 1410, -1.0, 1.0), "f", ""));
  EXPECT_FALSE(store.insert(a_measurement("w", 1410, 1.0, 0.0), "f", ""));
  EXPECT_FALSE(store.insert(a_measurement("w", 0, 1.0, 1.0), "f", ""));
  auto failed = a_measurement("w", 1410, 1.0, 1.0);
  failed.status = Status::failed;
  EXPECT_FALSE(store.insert(failed, "f", ""));
  EXPECT_TRUE(store.measurements("")->empty());
  EXPECT_EQ(state_of(store, "f"), "nothing");
}

TEST(Store, TheTablesRefuseItToo) {
  TemporaryPath file;
  {
    Store store = open(file);
    ASSERT_TRUE(store.insert(a_measurement("w", 1410, 1.0, 1.0), "f", ""));
  }
  auto database = Database::open(file.path());
  ASSERT_TRUE(database);
  for (const char* sql : {"UPDATE measurements SET time_s = 9e999", "UPDATE measurements SET energy_j = NULL",
                          "UPDATE measurements SET time_s = -1", "UPDATE measurements SET temperature_c = -9e999",
                          "UPDATE measurements SET status = 'fine'", "UPDATE measurements SET time_s = 'fast'",
                          "UPDATE measurements SET energy_j = 0", "UPDATE measurements SET sm_count = NULL"}) {
    EXPECT_FALSE(database->execute(sql)) << sql;
  }
}

TEST(Store, AnotherIdentityIsRefusedAndBothAreNamed) {
  TemporaryPath file;
  { Store store = open(file); }
  const Error error = refusal(file.path(), "llama on a40");
  EXPECT_EQ(error.code, ErrorCode::bad_input);
  EXPECT_THAT(error.to_string(),
              AllOf(HasSubstr(kIdentity), HasSubstr("llama on a40"), HasSubstr("another run folder")));
}

TEST(Store, ANewerVersionIsRefused) {
  TemporaryPath file;
  { Store store = open(file); }
  alter(file.path(), "PRAGMA user_version = 3");
  const Error error = refusal(file.path());
  EXPECT_EQ(error.code, ErrorCode::bad_input);
  EXPECT_THAT(error.to_string(), AllOf(HasSubstr("version 3"), HasSubstr("reads version 2")));
}

TEST(Store, FilesOfOthersAreRefusedAndNotChanged) {
  TemporaryPath file;
  const auto expect_untouched = [&](const char* what) {
    const std::string before = *read_file(file.path());
    const Error error = refusal(file.path());
    EXPECT_EQ(error.code, ErrorCode::bad_input);
    EXPECT_THAT(error.to_string(), HasSubstr(what));
    EXPECT_EQ(*read_file(file.path()), before);
  };
  ASSERT_TRUE(write_file_atomically(file.path(), "[workload]\nname = \"x\"\n"));
  expect_untouched("no file of Kareus measurements");
  ASSERT_TRUE(write_file_atomically(file.path(), std::string(5000, 'x')));
  expect_untouched("no file of Kareus measurements");
  std::filesystem::remove(file.path());
  alter(file.path(), "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);");
  expect_untouched("another program");
  std::filesystem::remove(file.path());
  alter(file.path(), "PRAGMA journal_mode = WAL; CREATE TABLE theirs (x);");
  expect_untouched("another program");
}

TEST(Store, ADamagedFileIsRefusedAndNotChanged) {
  TemporaryPath file;
  {
    Store store = open(file);
    for (int i = 0; i < 500; ++i) {
      ASSERT_TRUE(store.insert(a_measurement("work " + std::to_string(i), 1410, 1.0, 1.0), "f", ""));
    }
  }
  const auto whole = read_file(file.path());
  ASSERT_TRUE(whole);
  ASSERT_GT(whole->size(), 40'000U);
  for (const std::size_t length : {std::size_t{10}, std::size_t{700}, whole->size() / 2, whole->size() - 1}) {
    ASSERT_TRUE(write_file_atomically(file.path(), whole->substr(0, length)));
    const Error error = refusal(file.path());
    EXPECT_EQ(error.code, ErrorCode::bad_input) << length << ": " << error.to_string();
    EXPECT_EQ(*read_file(file.path()), whole->substr(0, length));
  }
  std::string torn = *whole;
  torn.replace(torn.size() / 2, 8192, std::string(8192, '\x5a'));
  ASSERT_TRUE(write_file_atomically(file.path(), torn));
  const Error error = refusal(file.path());
  EXPECT_EQ(error.code, ErrorCode::bad_input);
  EXPECT_THAT(error.to_string(), AllOf(HasSubstr("damaged"), HasSubstr("restore it from a copy")));
  EXPECT_EQ(*read_file(file.path()), torn);
}

TEST(Store, PlacesThatCannotBeWritten) {
  TemporaryPath file;
  EXPECT_EQ(refusal(file.folder()).code, ErrorCode::bad_input);
  const Error error = refusal(file.folder() / "nowhere" / "measurements.db");
  EXPECT_EQ(error.code, ErrorCode::device);
  EXPECT_THAT(error.to_string(), HasSubstr("that you may write to"));
}

/// Runs `body` in a child process and returns its exit status.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST(Store, AReadOnlyFileIsRefused) {
  TemporaryPath file;
  { Store store = open(file); }
  using std::filesystem::perms;
  std::filesystem::permissions(file.path(), perms::owner_read | perms::group_read | perms::others_read);
  std::filesystem::permissions(file.folder(), perms::owner_all | perms::group_read | perms::group_exec |
                                                  perms::others_read | perms::others_exec);
  const int status = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 90;  // root may write to every file
    const Error error = refusal(file.path());
    return error.code == ErrorCode::device && error.to_string().find("readonly") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST(Store, ASecondProcessIsRefusedUntilTheFirstCloses) {
  TemporaryPath file;
  const auto in_use = [&] {
    const Error error = refusal(file.path());
    return error.code == ErrorCode::device && error.to_string().find("another process") != std::string::npos ? 0 : 1;
  };
  {
    Store store = open(file);
    ASSERT_TRUE(store.insert(a_measurement("w", 1410, 1.0, 1.0), "f", ""));
    EXPECT_EQ(in_child(in_use), 0);
    ASSERT_TRUE(store.insert(a_measurement("w", 1380, 1.0, 1.0), "f", ""));
  }
  EXPECT_EQ(in_child([&] { return open(file).measurements("")->size() == 2 ? 0 : 1; }), 0);
}

TEST(Store, AProcessKilledInTheMiddleLosesNothingThatWasInserted) {
  TemporaryPath file;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Store store = open(file);
    for (int i = 1;; ++i) {
      if (!store.insert(a_measurement("w", i, 1.0, 1.0), "f", std::to_string(i))) ::_exit(1);
      if (::write(pipe[1], &i, sizeof i) != sizeof i) ::_exit(2);
    }
  }
  ::close(pipe[1]);
  int told = 0;
  while (told < 60 && ::read(pipe[0], &told, sizeof told) == sizeof told) {
  }
  ::kill(child, SIGKILL);
  while (::read(pipe[0], &told, sizeof told) == sizeof told) {
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  Store store = open(file);
  const auto all = store.measurements("");
  ASSERT_TRUE(all);
  const int count = static_cast<int>(all->size());
  EXPECT_GE(count, told);
  EXPECT_LE(count, told + 1);
  for (int i = 0; i < count; ++i) EXPECT_EQ((*all)[static_cast<std::size_t>(i)].execution.clock.mhz, i + 1);
  EXPECT_EQ(state_of(store, "f"), std::to_string(count));
}

TEST(Store, AFullDiskIsReportedAndNothingIsLost) {
  TemporaryPath file;
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    Store store = open(file);
    const rlimit limit{60'000, 60'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 90;
    int inserted = 0;
    while (true) {
      const auto done = store.insert(a_measurement("w", inserted + 1, 1.0, 1.0), "f", std::to_string(inserted + 1));
      if (!done) {
        if (done.error().code != ErrorCode::device || done.error().problems[0].hint.empty()) return 91;
        break;
      }
      if (++inserted > 5000) return 92;
    }
    // What was inserted before can still be read through the same store.
    if (store.measurements("")->size() != static_cast<std::size_t>(inserted)) return 93;
    return state_of(store, "f") == std::to_string(inserted) ? 0 : 94;
  });
  EXPECT_EQ(status, 0);
  Store store = open(file);
  const auto all = store.measurements("");
  ASSERT_TRUE(all);
  EXPECT_GT(all->size(), 50U);
  EXPECT_EQ(state_of(store, "f"), std::to_string(all->size()));
}

TEST(Store, ThreadsInsertAndReadAtTheSameTime) {
  TemporaryPath file;
  Store store = open(file);
  constexpr int kEach = 60;
  const auto insert = [&](const std::string& family) {
    for (int i = 1; i <= kEach; ++i) {
      ASSERT_TRUE(store.insert(a_measurement(family, i, 1.0, 1.0), family, std::to_string(i)));
      ASSERT_EQ(store.measurements(family)->size(), static_cast<std::size_t>(i));
    }
  };
  std::thread first(insert, "a"), second(insert, "b");
  first.join();
  second.join();
  EXPECT_EQ(store.measurements("")->size(), 2U * kEach);
  for (const char* family : {"a", "b"}) {
    const auto own = store.measurements(family);
    for (int i = 0; i < kEach; ++i) EXPECT_EQ((*own)[static_cast<std::size_t>(i)].execution.clock.mhz, i + 1);
    EXPECT_EQ(state_of(store, family), std::to_string(kEach));
  }
}

}  // namespace
}  // namespace kareus::profile
