#include "base/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kareus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string errors(std::string_view text) {
  const auto csv = parse_csv(text, "t.csv");
  return csv ? "" : csv.error().to_string();
}

TEST(Csv, ReadsQuotesLineEndsAndBlanks) {
  const auto csv = parse_csv(
      "\xEF\xBB\xBF"
      "a, \"b,\"\"x\"\"\" ,c\r\n1,\"two\nlines\", 3 \r\n\r\n4,,6\r7,8,9",
      "t.csv");
  ASSERT_TRUE(csv) << csv.error().to_string();
  EXPECT_THAT(csv->header, ElementsAre("a", "b,\"x\"", "c"));
  ASSERT_EQ(csv->rows.size(), 3U);
  EXPECT_EQ(csv->rows[0][1].text, "two\nlines");
  EXPECT_EQ(csv->rows[0][2].text, "3");
  EXPECT_EQ(csv->rows[1][1].text, "");
  EXPECT_EQ(csv->where(csv->rows[1][2]), "t.csv:5:4");
  EXPECT_EQ(csv->where(csv->rows[2][0]), "t.csv:6:1");
}

TEST(Csv, ReportsEveryDefectWithItsPlace) {
  const std::string text = errors("a,a,,d\n1,2\n\"x\"y,2,3,4\nz\"z,2,3,4\n1,2,3,\"open\n");
  EXPECT_THAT(text, HasSubstr("t.csv:1:3: a second column 'a'"));
  EXPECT_THAT(text, HasSubstr("t.csv:1:5: a column without a name"));
  EXPECT_THAT(text, HasSubstr("t.csv:2:1: 2 cells in a table of 4 columns"));
  EXPECT_THAT(text, HasSubstr("t.csv:3:4: text after a closing quote"));
  EXPECT_THAT(text, HasSubstr("t.csv:4:2: a quote in a cell"));
  EXPECT_THAT(text, HasSubstr("t.csv:5:7: a quote that is never closed"));
}

TEST(Csv, RejectsNothingAndWhatIsNotText) {
  EXPECT_THAT(errors(""), HasSubstr("is empty"));
  EXPECT_THAT(errors("\n\n"), HasSubstr("is empty"));
  EXPECT_THAT(errors("a\n1\n\xC3("), HasSubstr("t.csv:3: not a text in UTF-8"));
  EXPECT_THAT(errors(std::string_view("a\n\0", 3)), HasSubstr("not a text"));
  for (const char* text : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF"}) {
    EXPECT_NE(errors(text), "");
  }
  EXPECT_EQ(errors("Zeit \xC2\xB5s,\xE2\x82\xAC,\xF0\x9F\x98\x80\n1,2,3"), "");
}

TEST(Csv, ListsAHundredProblemsAndCountsTheOthers) {
  std::string text = "a,b\n";
  for (int i = 0; i < 150; ++i) text += "1\n";
  const auto csv = parse_csv(text, "t.csv");
  ASSERT_FALSE(csv);
  EXPECT_EQ(csv.error().problems.size(), 101U);
  EXPECT_EQ(csv.error().problems.back().what, "and 50 more problems");
}

}  // namespace
}  // namespace kareus
