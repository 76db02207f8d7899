#include "kareus/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kareus::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kDescription = R"(format = "kareus-table"
version = 1
static_power_w = 10.0
numeric = ["sm"]
failure_texts = ["oom"]

[[categorical]]
name = "window"
columns = ["start", "end"]

[time]
columns = ["t0", "t1", "t2"]
factor = 1e-3

[energy]
columns = ["e0", "e1"]
aggregate = "mean"
factor = 0.5
)";
const std::string kHeader = "start,end,sm,t0,t1,t2,e0,e1\n";

Result<Table> parse(const std::string& rows, const std::string& description = kDescription) {
  return parse_table(kHeader + rows, "t.csv", description, "d.toml");
}
std::string errors(const std::string& rows, const std::string& description = kDescription) {
  const auto table = parse(rows, description);
  return table ? "" : table.error().to_string();
}
std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kDescription;
  return text.replace(text.find(from), from.size(), to);
}

TEST(Table, ReadsFeaturesAndAggregates) {
  const auto table = parse("-1,-1,3,5,1,2,4,8\n2,6,3,1000,1000,1000,100,100\n-1,-1,6,2,,oom,1,1\n").value();
  EXPECT_THAT(table.space.features, ElementsAre("window=-1,-1", "window=2,6", "sm"));
  EXPECT_THAT(table.space.rows, ElementsAre(ElementsAre(1, 0, 3), ElementsAre(0, 1, 3), ElementsAre(1, 0, 6)));
  ASSERT_TRUE(table.objectives[0]);
  EXPECT_DOUBLE_EQ(table.objectives[0]->time, 2e-3);
  EXPECT_DOUBLE_EQ(table.objectives[0]->energy, 3.0 - 10.0 * 2e-3);
  EXPECT_DOUBLE_EQ(table.objectives[1]->energy, 40.0);
  EXPECT_DOUBLE_EQ(table.objectives[2]->time, 2e-3) << "failed repeats do not count";
  EXPECT_EQ(table.labels[0], "start=-1 end=-1 sm=3");
  EXPECT_EQ(table.static_power, 10.0);
  EXPECT_TRUE(table.notes.empty());
}

TEST(Table, ARowWithoutAnyRepeatHasFailed) {
  const auto table = parse("1,1,3,oom,,,4,8\n1,1,6,1,1,1,,oom\n").value();
  EXPECT_FALSE(table.objectives[0]);
  EXPECT_FALSE(table.objectives[1]);
}

TEST(Table, PoolsRowsOfOneConfigurationWithANote) {
  const auto table = parse("1,1,3,1,1,1,4,4\n1,1,3.0,9,9,9,8,8\n1,1,6,1,1,1,2,2\n").value();
  ASSERT_EQ(table.space.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(table.objectives[0]->time, 5e-3);
  EXPECT_DOUBLE_EQ(table.objectives[0]->energy, 3.0 - 10.0 * 5e-3);
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_THAT(table.notes[0], HasSubstr("lines 2, 3 describe the same configuration"));
}

TEST(Table, KindDynamicTakesNothingOff) {
  const auto table = parse("1,1,3,1,1,1,-4,-4\n", replaced("aggregate = \"mean\"", "kind = \"dynamic\"")).value();
  EXPECT_DOUBLE_EQ(table.objectives[0]->energy, -2.0);
}

TEST(Table, FiltersRows) {
  const std::string rows = "1,1,3,1,1,1,4,4\n2,1,6,1,1,1,4,4\n1,1,9,1,1,1,4,4\n";
  const auto by_value = parse(rows, kDescription + "[[filter]]\ncolumn = \"start\"\nvalues = [\"1\", \"7\"]\n").value();
  EXPECT_EQ(by_value.space.rows.size(), 2U);
  const auto by_range = parse(rows, kDescription + "[[filter]]\ncolumn = \"sm\"\nminimum = 4\nmaximum = 8\n").value();
  EXPECT_EQ(by_range.space.rows.size(), 1U);
  EXPECT_THAT(errors(rows, kDescription + "[[filter]]\ncolumn = \"sm\"\nminimum = 40\n"), HasSubstr("no row passes"));
  EXPECT_THAT(errors(rows, kDescription + "[[filter]]\ncolumn = \"sm\"\n"), HasSubstr("needs values"));
}

TEST(Table, ReportsEveryBadCellWithItsPlace) {
  const std::string text = errors("1,1,x,1,nan,1,4,4\n1,1,3,0,-1,inf,-4,1e999\n");
  EXPECT_THAT(text, HasSubstr("t.csv:2:5: 'sm' must be a finite number, not 'x'"));
  EXPECT_THAT(text, HasSubstr("t.csv:2:9: 't1' must be a finite number, not 'nan'"));
  EXPECT_THAT(text, HasSubstr("t.csv:3:7: 't0' must be positive, not 0"));
  EXPECT_THAT(text, HasSubstr("t.csv:3:9: 't1' must be positive, not -1"));
  EXPECT_THAT(text, HasSubstr("t.csv:3:12: 't2' must be a finite number, not 'inf'"));
  EXPECT_THAT(text, HasSubstr("t.csv:3:16: 'e0' must not be negative, not -4"));
  EXPECT_THAT(text, HasSubstr("t.csv:3:19: 'e1' must be a finite number, not '1e999'"));
}

TEST(Table, ReportsDefectsOfTheDescriptionTogether) {
  const std::string text = errors("1,1,x,1,1,1,4,4\n", R"(format = "kareus-tabel"
version = 1
static_power_w = -1
numeric = ["smm", "start", "start"]
colour = "red"
[time]
columns = []
aggregate = "mode"
[energy]
columns = ["e0"]
kind = "free"
)");
  EXPECT_THAT(text, HasSubstr("d.toml:1:"));
  EXPECT_THAT(text, HasSubstr("'static_power_w' must be"));
  EXPECT_THAT(text, HasSubstr("the table has no column 'smm' (did you mean 'sm'?)"));
  EXPECT_THAT(text, HasSubstr("column 'start' is a feature already"));
  EXPECT_THAT(text, HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(text, HasSubstr("needs at least one column"));
  EXPECT_THAT(text, HasSubstr("unknown aggregate 'mode'"));
  EXPECT_THAT(text, HasSubstr("unknown kind of energy 'free'"));
}

TEST(Table, ADescriptionNeedsFeaturesAndObjectives) {
  const std::string text = errors("1,1,3,1,1,1,4,4\n", "format = \"kareus-table\"\nversion = 1\nstatic_power_w = 1\n");
  EXPECT_THAT(text, HasSubstr("names no features"));
  EXPECT_THAT(text, HasSubstr("'time' is missing"));
  EXPECT_THAT(text, HasSubstr("'energy' is missing"));
  EXPECT_THAT(errors("1,1,3,1,1,1,4,4\n", replaced("numeric = [\"sm\"]", "numeric = [\"t0\"]")),
              HasSubstr("column 't0' is a feature already"));
}

TEST(Table, AnEmptyTableIsAnError) {
  EXPECT_THAT(errors(""), HasSubstr("t.csv: has no rows"));
  EXPECT_THAT(read_table("/nonexistent.csv", "/nonexistent.toml").error().problems.size(), 2U);
}

TEST(SearchTable, FindsEverythingWhenItMayLookAtEverything) {
  const auto table = parse("1,1,3,1,1,1,9,9\n1,1,6,2,2,2,4,4\n1,1,9,3,3,3,5,5\n1,1,12,oom,,,4,4\n").value();
  auto optimizer = make_multi_pass(table.space, {.static_power = table.static_power}).value();
  const auto search = search_table(table, *optimizer).value();
  EXPECT_EQ(search.steps.size(), 4U);
  EXPECT_EQ(search.finished, "exhausted");
  EXPECT_THAT(search.total.candidates, ElementsAre(0, 1));
  EXPECT_EQ(search.total.ratio, 1.0);
  EXPECT_EQ(search.dynamic.ratio, 1.0);
  EXPECT_DOUBLE_EQ(search.total.reference.time, 2.1e-3);
  EXPECT_DOUBLE_EQ(search.total.reference.energy, 4.75);
}

TEST(SearchTable, ATableOfFailuresIsAnError) {
  const auto table = parse("1,1,3,oom,,,9,9\n").value();
  auto optimizer = make_random(table.space, 5, 1).value();
  EXPECT_EQ(search_table(table, *optimizer).error().code, ErrorCode::bad_input);
}

}  // namespace
}  // namespace kareus::search
