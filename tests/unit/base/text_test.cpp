#include "base/text.hpp"

#include <gtest/gtest.h>

#include "kareus/result.hpp"

namespace kareus {
namespace {

TEST(Text, FindsTheNearestWord) {
  const std::vector<std::string> words = {"frequency", "time", "energy"};
  EXPECT_EQ(nearest_word("frequncy", words), "frequency");
  EXPECT_EQ(nearest_word("enrgy", words), "energy");
  EXPECT_FALSE(nearest_word("completely-different", words));
  EXPECT_EQ(suggestion("completely-different", words), "known: frequency, time and energy");
}

TEST(Text, AlignsTables) {
  const std::vector<std::string> header = {"name", "time"};
  const std::vector<std::vector<std::string>> rows = {{"a", "1.5 s"}, {"longer", "12.5 s"}};
  EXPECT_EQ(text_table(header, rows), "name    time\na        1.5 s\nlonger  12.5 s\n");
}

TEST(Text, ShowsUnits) {
  EXPECT_EQ(human(Seconds(4.3531)), "4.353 s");
  EXPECT_EQ(human(Seconds(0.0123)), "12.3 ms");
  EXPECT_EQ(human(Seconds(0)), "0 s");
  EXPECT_EQ(human(Joules(22090)), "22.09 kJ");
  EXPECT_EQ(human(Joules(0.926)), "926 mJ");
  EXPECT_EQ(human(Watts(85)), "85 W");
}

TEST(Text, HashesAreStable) {
  EXPECT_EQ(hex(stable_hash("")), "cbf29ce484222325");
  EXPECT_EQ(hex(stable_hash("a")), "af63dc4c8601ec8c");
  EXPECT_NE(derive_seed(1, "a"), derive_seed(1, "b"));
  EXPECT_NE(derive_seed(1, "a"), derive_seed(2, "a"));
}

TEST(Errors, HaveOneExitCodeEach) {
  EXPECT_EQ(exit_code(ErrorCode::usage), 2);
  EXPECT_EQ(exit_code(ErrorCode::bad_input), 3);
  EXPECT_EQ(exit_code(ErrorCode::infeasible), 4);
  EXPECT_EQ(exit_code(ErrorCode::device), 5);
  EXPECT_EQ(exit_code(ErrorCode::interrupted), 6);
  EXPECT_EQ(exit_code(ErrorCode::internal), 70);
  const auto error = fail(ErrorCode::bad_input, "is wrong", "f:1:2", "mend it");
  EXPECT_EQ(error.value().to_string(), "f:1:2: is wrong (mend it)");
}

}  // namespace
}  // namespace kareus
