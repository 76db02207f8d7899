#include "base/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kareus {
namespace {

using testing::HasSubstr;

ConfigDocument toml(const char* text) {
  auto document = parse_toml(text, "a.toml");
  EXPECT_TRUE(document) << document.error().to_string();
  return *document;
}

TEST(ConfigReader, FindsEveryProblemOfAFile) {
  const auto document = toml("degree = -1\nname = 3\nfrequncy = 2\nshare = nan\n[inner]\nsize = 'x'\n");
  std::vector<Problem> problems;
  ConfigReader reader(document, problems);
  reader.integer("degree", {.low = 1});
  reader.text("name");
  reader.number("frequency");
  reader.number("share");
  auto inner = reader.table("inner");
  ASSERT_TRUE(inner);
  inner->integer("size");
  inner->reject_unknown_keys();
  reader.reject_unknown_keys();

  ASSERT_EQ(problems.size(), 6U);
  EXPECT_EQ(problems[0].where, "a.toml:1:1");
  EXPECT_EQ(problems[0].what, "'degree' must be at least 1, not -1");
  EXPECT_EQ(problems[1].what, "'name' must be a text, not an integer");
  EXPECT_EQ(problems[2].what, "'frequency' is missing");
  EXPECT_EQ(problems[3].what, "'share' must be a finite number");
  EXPECT_EQ(problems[4].where, "a.toml:6:1");
  EXPECT_EQ(problems[5].where, "a.toml:3:1");
  EXPECT_EQ(problems[5].hint, "did you mean 'frequency'?");
}

TEST(ConfigReader, NamesJsonPaths) {
  auto document = parse_json(R"({"stages": [{"time_s": 1}, {"time_s": "x"}]})", "f.json");
  ASSERT_TRUE(document);
  std::vector<Problem> problems;
  ConfigReader reader(*document, problems);
  for (ConfigReader& stage : reader.tables("stages")) stage.number("time_s");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].where, "f.json: /stages/1/time_s");
}

TEST(ConfigReader, ReadsWhatIsThere) {
  const auto document = toml("i = 4\nd = 2.5\nb = true\nt = 'x'\nis = [1, 2]\nds = [1, 2.5]\nts = ['a']\n");
  std::vector<Problem> problems;
  ConfigReader reader(document, problems);
  EXPECT_EQ(reader.integer("i"), 4);
  EXPECT_EQ(reader.number("d"), 2.5);
  EXPECT_EQ(reader.number("i"), 4.0);
  EXPECT_TRUE(reader.boolean("b"));
  EXPECT_EQ(reader.text("t"), "x");
  EXPECT_EQ(reader.integers("is"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(reader.numbers("ds"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(reader.texts("ts"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(reader.integer_or("absent", 7), 7);
  reader.reject_unknown_keys();
  EXPECT_TRUE(problems.empty());
}

TEST(ParseToml, SaysWhereTheSyntaxIsWrong) {
  const auto document = parse_toml("a = 1\nb = = 2\n", "w.toml");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, ErrorCode::bad_input);
  EXPECT_THAT(document.error().problems[0].where, HasSubstr("w.toml:2:"));
}

TEST(ParseToml, RefusesWhatTheLibraryOnlyAssertsOn) {
  for (const char* text :
       {"[#", "[ ", "a.#=1", "[[#", "{t\u011e=1}", "t\u011e=1", "a = 1\nb\u00a1 = 2", "x = [1, \u0499]"}) {
    const auto document = parse_toml(text, "w.toml");
    ASSERT_FALSE(document) << text;
    EXPECT_EQ(document.error().code, ErrorCode::bad_input) << text;
  }
  EXPECT_THAT(parse_toml("a = 1\nb\u00a1 = 2", "w.toml").error().problems[0].where, HasSubstr("w.toml:2:2"));
}

TEST(ParseToml, AllowsAnyCharacterInTextsAndComments) {
  const auto document =
      parse_toml("\xEF\xBB\xBF# \u011e\na = '\u011e'\nb = \"\\\"\u011e\"\nc = \"\"\"\n\u011e\"\"\"\n", "w.toml");
  ASSERT_TRUE(document) << document.error().to_string();
  std::vector<Problem> problems;
  ConfigReader reader(*document, problems);
  EXPECT_EQ(reader.text("b"), "\"\u011e");
}

TEST(ParseJson, SaysThatATextIsTruncated) {
  const auto document = parse_json("{\"a\": [1, 2", "w.json");
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().problems[0].what, HasSubstr("ends too early"));
}

TEST(ParseJson, RefusesDeepNestingAndOtherRoots) {
  EXPECT_FALSE(parse_json("{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}", "deep.json"));
  EXPECT_FALSE(parse_json("[1]", "array.json"));
  EXPECT_FALSE(parse_json("", "empty.json"));
  EXPECT_FALSE(parse_json("\xff\xfe", "binary.json"));
}

}  // namespace
}  // namespace kareus
