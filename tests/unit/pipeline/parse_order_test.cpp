#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/pipeline/order_support.hpp"

namespace kareus::pipeline {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view json) {
  const auto order = parse_order(json, "order.json");
  if (order) return "no error";
  EXPECT_EQ(order.error().code, ErrorCode::bad_input);
  return order.error().to_string();
}

TEST(ParseOrder, ReadsEveryKindOfOperation) {
  const auto order = parse_order(R"({"stages": [["F0", "F12.3", "B0"], ["I7", "W7.0", "R7.11"]]})", "order.json");
  ASSERT_TRUE(order) << order.error().to_string();
  EXPECT_EQ(*order, (Order{{{kF, 0, 0}, {kF, 12, 3}, {kB, 0, 0}}, {{kI, 7, 0}, {kW, 7, 0}, {kR, 7, 11}}}));
}

TEST(ParseOrder, ReadsWhatASchedulePrints) {
  for (const char* schedule : {"1f1b", "gpipe", "interleaved", "zb-h1", "early-recompute"}) {
    const Order order = *make_order(schedule, 3, 6, std::string_view(schedule) == "interleaved" ? 2 : 1);
    std::string json = R"({"stages":[)";
    for (std::size_t s = 0; s < order.size(); ++s) {
      json += s == 0 ? "[" : ",[";
      for (std::size_t i = 0; i < order[s].size(); ++i) {
        const auto& [kind, microbatch, chunk] = order[s][i];
        json += fmt::format("{}\"{}{}{}\"", i == 0 ? "" : ",", "FBIWR"[static_cast<std::size_t>(kind)], microbatch,
                            chunk == 0 ? "" : fmt::format(".{}", chunk));
      }
      json += "]";
    }
    const auto read = parse_order(json + "]}", "order.json");
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, order);
  }
}

TEST(ParseOrder, ReportsEveryProblemWithItsPath) {
  const auto order =
      parse_order(R"({"stages": [["F0", "X1", 3], "F0", [], ["F", "F1.", "F-1", "F1 ", "F1.2.3", ""]]})", "order.json");
  ASSERT_FALSE(order);
  std::vector<std::string> places;
  for (const Problem& problem : order.error().problems) places.push_back(problem.where);
  EXPECT_EQ(places,
            (std::vector<std::string>{"order.json: /stages/0/1", "order.json: /stages/0/2", "order.json: /stages/1",
                                      "order.json: /stages/2", "order.json: /stages/3/0", "order.json: /stages/3/1",
                                      "order.json: /stages/3/2", "order.json: /stages/3/3", "order.json: /stages/3/4",
                                      "order.json: /stages/3/5"}));
}

TEST(ParseOrder, RefusesNumbersThatDoNotFit) {
  EXPECT_THAT(error_of(R"({"stages": [["F99999999999"]]})"), HasSubstr("'F99999999999' is not an operation"));
  EXPECT_THAT(error_of(R"({"stages": [["F0.2147483648"]]})"), HasSubstr("is not an operation"));
}

TEST(ParseOrder, RefusesOtherShapes) {
  EXPECT_THAT(error_of("{}"), HasSubstr("'stages' is missing"));
  EXPECT_THAT(error_of(R"({"stages": []})"), HasSubstr("/stages: must be a list"));
  EXPECT_THAT(error_of(R"({"stage": [["F0"]]})"), HasSubstr("did you mean 'stages'"));
  EXPECT_THAT(error_of(R"([["F0"]])"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(error_of(R"({"stages": [["F0")"), HasSubstr("ends too early"));
}

TEST(ParseOrder, CountsProblemsBeyondTheFirstHundred) {
  std::string json = R"({"stages": [["F0")";
  for (int i = 0; i < 500; ++i) json += ", 0";
  EXPECT_THAT(error_of(json + "]]}"), HasSubstr("400 more problems"));
}

}  // namespace
}  // namespace kareus::pipeline
