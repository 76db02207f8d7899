#include "schedule/literal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kareus::schedule {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string problem_of(const std::string& text) {
  const auto parsed = parse_literal(text, "f.py");
  return parsed ? "accepted" : parsed.error().to_string();
}

TEST(Literal, ReadsListsTuplesTextsIntegersAndComments) {
  const auto parsed = parse_literal("# head\n[\n ('a', -12), # tail \n (\"b\",), ('c'), [], (),\n]\n", "f.py");
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  const Literal& root = parsed->root;
  ASSERT_EQ(root.kind, Literal::Kind::list);
  ASSERT_EQ(root.items.size(), 5U);
  EXPECT_EQ(root.items[0].kind, Literal::Kind::tuple);
  EXPECT_EQ(root.items[0].items[0].text, "a");
  EXPECT_EQ(root.items[0].items[1].integer, -12);
  EXPECT_EQ(root.items[0].line, 3);
  EXPECT_EQ(root.items[0].items[1].column, 8);
  EXPECT_EQ(root.items[1].kind, Literal::Kind::tuple);
  EXPECT_EQ(root.items[2].kind, Literal::Kind::text);
  EXPECT_TRUE(root.items[3].items.empty());
  ASSERT_EQ(parsed->comments.size(), 2U);
  EXPECT_EQ(parsed->comments[1].text, "tail");
  EXPECT_EQ(parsed->comments[1].line, 3);
}

TEST(Literal, NamesAreNeverEvaluated) {
  EXPECT_THAT(problem_of("[__import__('os').system('x')]"),
              AllOf(StartsWith("f.py:1:2"), HasSubstr("'__import__' is no literal")));
  EXPECT_THAT(problem_of("[1+1]"), HasSubstr("',' or ']' is missing before '+'"));
  EXPECT_THAT(problem_of("['a' 'b']"), StartsWith("f.py:1:6"));
  EXPECT_THAT(problem_of("[1]\nprint()"), AllOf(StartsWith("f.py:2:1"), HasSubstr("'print' follows")));
  EXPECT_THAT(problem_of("[1, True]"), HasSubstr("'True' is no literal"));
  EXPECT_THAT(problem_of("{1: 2}"), HasSubstr("'{' is no literal"));
}

TEST(Literal, BadScalarsAreRefused) {
  EXPECT_THAT(problem_of("[99999999999999999999]"), HasSubstr("too large"));
  EXPECT_THAT(problem_of("[1.5]"), HasSubstr("only integers"));
  EXPECT_THAT(problem_of("[-]"), HasSubstr("no number"));
  EXPECT_THAT(problem_of("['a\\n']"), HasSubstr("escapes"));
  EXPECT_THAT(problem_of("['a\n']"), HasSubstr("not closed on its line"));
  EXPECT_THAT(problem_of(std::string("[\0]", 3)), HasSubstr("byte 0x00"));
}

TEST(Literal, TruncationIsNamed) {
  for (const char* text : {"", "[", "[1", "[1,", "[('a'", "['a"}) {
    EXPECT_NE(problem_of(text), "accepted") << text;
  }
  EXPECT_THAT(problem_of("[1,\n2"), AllOf(StartsWith("f.py:2:2"), HasSubstr("truncated")));
}

TEST(Literal, NestingHasALimit) {
  EXPECT_EQ(problem_of(std::string(16, '[') + std::string(16, ']')), "accepted");
  EXPECT_THAT(problem_of(std::string(17, '[') + std::string(17, ']')), HasSubstr("nested deeper than 16"));
  EXPECT_THAT(problem_of(std::string(1'000'000, '(')), HasSubstr("nested deeper than 16"));
}

}  // namespace
}  // namespace kareus::schedule
