// The text of a frontier and of a plan, byte for byte: files that are kept must stay readable, and the same value must
// give the same bytes on every machine. After a deliberate change of the format write them again and raise its version.
#include <gtest/gtest.h>

#include "../../unit/schedule/frontiers.hpp"
#include "base/files.hpp"

namespace kareus::schedule {
namespace {

std::string golden(const char* name) {
  const auto text = read_file(std::string(KAREUS_SOURCE_DIR) + "/tests/golden/schedule/" + name);
  return text ? *text : text.error().to_string();
}

TEST(GoldenText, Frontier) {
  EXPECT_EQ(to_json(testing::small_frontier()), golden("small_frontier.json"));
}

TEST(GoldenText, Plan) {
  EXPECT_EQ(to_json(make_plan(testing::small_frontier(), 1)), golden("small_plan.json"));
}

TEST(GoldenText, FilesAreRead) {
  EXPECT_EQ(parse_frontier(golden("small_frontier.json"), "f"), testing::small_frontier());
  EXPECT_EQ(parse_plan(golden("small_plan.json"), "p"), make_plan(testing::small_frontier(), 1));
}

TEST(GoldenText, TheExampleOfTheDocumentationIsRead) {
  const auto text = read_file(std::string(KAREUS_SOURCE_DIR) + "/docs/formats.md");
  ASSERT_TRUE(text);
  const std::string fence = "```json\n";
  const std::size_t start = text->find(fence) + fence.size();
  const std::string example = text->substr(start, text->find("```", start) - start);
  const auto frontier = parse_frontier(example, "docs/formats.md");
  ASSERT_TRUE(frontier) << frontier.error().to_string();
  EXPECT_EQ(to_json(*frontier), example);
}

}  // namespace
}  // namespace kareus::schedule
