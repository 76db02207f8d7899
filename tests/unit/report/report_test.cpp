#include "kareus/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "example_report.hpp"
#include "report/html.hpp"
#include "report/page_data.hpp"

namespace kareus::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// What stands in the page's data element.
std::string embedded_data(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(open);
  if (begin == std::string::npos) return {};
  const std::size_t end = page.find("</script>", begin);
  return page.substr(begin + open.size(), end - begin - open.size());
}

TEST(Html, EscapesEveryMarkupCharacter) {
  EXPECT_EQ(escape_html("<a href=\"x\" title='y'>&amp;"), "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escape_html("plain µ text"), "plain µ text");
}

TEST(Html, JsonInScriptKeepsItsMeaningWithoutAnyLessThan) {
  const nlohmann::json value = {{"a<b", "</script><!--<script>"}, {"c", {1, 2.5, nullptr}}};
  const std::string escaped = escape_json_for_script(value.dump());
  EXPECT_THAT(escaped, Not(HasSubstr("<")));
  EXPECT_EQ(nlohmann::json::parse(escaped), value);
}

TEST(Html, TemplateValuesAreNotTemplates) {
  const std::vector<std::pair<std::string_view, std::string_view>> values{{"a", "{{b}}"}, {"b", "2"}};
  EXPECT_EQ(fill_template("x{{a}}y{{b}}{{a}}z", values), "x{{b}}y2{{b}}z");
  EXPECT_ANY_THROW(fill_template("{{c}}", values));
  EXPECT_ANY_THROW(fill_template("{{a", values));
}

TEST(RenderHtml, SameValueGivesSameBytes) {
  EXPECT_EQ(render_html(example_report()), render_html(example_report()));
  ReportInput other = example_report();
  other.kareus.points[3].energy += Joules(1);
  EXPECT_NE(render_html(example_report()), render_html(other));
}

TEST(RenderHtml, TypicalRunIsSmallAndSelfContained) {
  const std::string page = render_html(example_report());
  EXPECT_LT(page.size(), 600'000U);
  EXPECT_THAT(page, HasSubstr("Chart.js v3"));
  EXPECT_THAT(page, HasSubstr("Released under the MIT License"));
  for (const char* outside : {" src=\"http", "src='http", "href=\"http", "url(", "@import", "sourceMappingURL"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(RenderHtml, LargeRunStaysUnderTwoMegabytes) {
  const std::string page = render_html(example_report({.stages = 10, .microbatches = 128, .points = 100}));
  EXPECT_LT(page.size(), 2'000'000U);
}

TEST(RenderHtml, TextsFromOutsideNeverBecomeMarkup) {
  const std::string plain = render_html(example_report());
  const std::string page = render_html(hostile_report());
  for (const char* part : {"<script", "</script", "<!--", "<img", "</title", "<title"}) {
    EXPECT_EQ(count_of(page, part), count_of(plain, part)) << part;
  }
  const auto data = nlohmann::json::parse(embedded_data(page));
  EXPECT_EQ(data["partitions"][0]["type"], "<script>alert(1)</script>");
  EXPECT_THAT(data["facts"].back()[1].get<std::string>(), HasSubstr("{{data}} '\" \xef\xbf\xbd\xef\xbf\xbd \n end"));
}

TEST(RenderHtml, EmbedsTheDataOfThePage) {
  const ReportInput input = example_report();
  EXPECT_EQ(nlohmann::json::parse(embedded_data(render_html(input))), nlohmann::json::parse(page_data(input)));
}

TEST(EvaluationReport, HoldsWhatItIsGivenAndEscapesIt) {
  schedule::FrontierPoint point;
  point.time = Seconds(1.25);
  point.energy = Joules(640);
  point.static_energy = Joules(160);
  const EvaluationInput input{.title = "<b>title</b>",
                              .facts = {{"Device", "</script><script>"}},
                              .frontiers = {{"some workload", "blind", "kareus", {point}}, {"none", "blind", "x", {}}},
                              .tables = {{.heading = "Measures", .header = {"a", "b"}, .rows = {{"1", "<i>"}}}}};
  const std::string page = render_html(input);
  EXPECT_EQ(page.find("<b>title"), std::string::npos);
  EXPECT_EQ(page.find("</script><script>\"]"), std::string::npos);
  EXPECT_NE(
      page.find(R"({"workload":"some workload","level":"blind","method":"kareus","points":[[1.25,640.0,160.0]]})"),
      std::string::npos);
  EXPECT_EQ(page.find(R"({"workload":"none")"), std::string::npos);
  EXPECT_NE(page.find(R"("series":[])"), std::string::npos);
  EXPECT_NE(page.find(R"("rows":[["1","\u003ci>"]])"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

/// One workload with pipelines of two methods, another with a frontier alone.
EvaluationInput example_evaluation() {
  const ReportInput report = example_report();
  const auto frontier = [](const schedule::FrontierFile& file, std::string workload, std::string method) {
    const std::size_t ends[] = {0, file.points.size() - 1};
    return EvaluatedFrontier{std::move(workload), "blind", std::move(method), file.points,
                             schedule::with_points(file, std::span(ends, file.points.size() > 1 ? 2 : 1))};
  };
  EvaluatedFrontier bare = frontier(report.kareus, "small", "kareus");
  bare.pipelines = {};
  return {.title = "Evaluation",
          .facts = {{"Device", "some"}},
          .frontiers = {frontier(report.baselines[0], "large", "megatron"), frontier(report.kareus, "large", "kareus"),
                        bare},
          .tables = {{.heading = "Measures", .header = {"a", "b"}, .rows = {{"1", "2"}}}}};
}

TEST(EvaluationReport, RefersToThePipelinesOfAFrontier) {
  const auto data = nlohmann::json::parse(embedded_data(render_html(example_evaluation())));
  ASSERT_EQ(data["series"].size(), 2U);
  EXPECT_EQ(data["frontiers"][0]["series"], 0);
  EXPECT_EQ(data["frontiers"][1]["series"], 1);
  EXPECT_FALSE(data["frontiers"][2].contains("series"));
  EXPECT_EQ(data["series"][1]["points"].size(), 2U);
}

/// Writes the pages that the browser test opens, to the folder named by KAREUS_REPORT_EXAMPLES when it is set.
TEST(ReportExample, WritesPages) {
  const char* wanted = std::getenv("KAREUS_REPORT_EXAMPLES");
  const std::filesystem::path folder = wanted != nullptr ? wanted : testing::TempDir() + "kareus_report_examples";
  ASSERT_TRUE(create_folder(folder));
  ReportInput empty = smallest_report();
  empty.kareus.points.clear();
  const std::vector<std::pair<const char*, ReportInput>> pages{
      {"example.html", example_report()},
      {"hostile.html", hostile_report()},
      {"smallest.html", smallest_report()},
      {"empty.html", empty},
      {"large.html", example_report({.stages = 10, .microbatches = 128, .points = 100})}};
  for (const auto& [name, input] : pages) {
    ASSERT_TRUE(write_file_atomically(folder / name, render_html(input)));
    EXPECT_EQ(read_file(folder / name).value().size(), render_html(input).size());
  }
  ASSERT_TRUE(write_file_atomically(folder / "evaluation.html", render_html(example_evaluation())));
}

}  // namespace
}  // namespace kareus::report
