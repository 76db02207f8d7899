#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kareus/report.hpp"
#include "report/assets.hpp"
#include "report/page.hpp"
#include "report/series_data.hpp"

namespace kareus::report {
namespace {

using Json = nlohmann::ordered_json;

Json frontier_json(const EvaluatedFrontier& frontier) {
  Json points = Json::array();
  for (const schedule::FrontierPoint& point : frontier.points) {
    KAREUS_CHECK(std::isfinite(point.time.si()) && std::isfinite(point.energy.si()));
    points.push_back({point.time.si(), point.energy.si(), point.static_energy.si()});
  }
  return {{"workload", frontier.workload}, {"level", frontier.level}, {"method", frontier.method}, {"points", points}};
}

std::string data_of(const EvaluationInput& input) {
  Json data{{"title", input.title}, {"facts", Json::array()}, {"series", Json::array()}};
  for (const auto& [label, value] : input.facts) data["facts"].push_back({label, value});
  data["frontiers"] = Json::array();
  for (const EvaluatedFrontier& frontier : input.frontiers) {
    if (frontier.points.empty()) continue;
    data["frontiers"].push_back(frontier_json(frontier));
    if (frontier.pipelines.points.empty()) continue;
    data["frontiers"].back()["series"] = data["series"].size();
    data["series"].push_back(series_data(frontier.pipelines));
  }
  data["tables"] = Json::array();
  for (const ReportTable& table : input.tables) {
    data["tables"].push_back({{"heading", table.heading}, {"header", table.header}, {"rows", table.rows}});
  }
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string render_html(const EvaluationInput& input) {
  return make_page(input.title, assets::kEvaluationBody, data_of(input), std::array{assets::kTimelinesScript, assets::kPipelinesScript, assets::kEvaluationScript});
}

}  // namespace kareus::report
