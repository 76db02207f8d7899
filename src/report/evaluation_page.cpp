#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kareus/report.hpp"
#include "report/assets.hpp"
#include "report/html.hpp"

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
    if (!frontier.points.empty()) data["frontiers"].push_back(frontier_json(frontier));
  }
  data["tables"] = Json::array();
  for (const ReportTable& table : input.tables) {
    data["tables"].push_back({{"heading", table.heading}, {"header", table.header}, {"rows", table.rows}});
  }
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string render_html(const EvaluationInput& input) {
  const std::string title = escape_html(input.title);
  const std::string data = escape_json_for_script(data_of(input));
  const std::array<std::pair<std::string_view, std::string_view>, 7> values{{
      {"title", title},
      {"style", assets::kStyle},
      {"data", data},
      {"chart_library", assets::kChartLibrary},
      {"model_script", assets::kModelScript},
      {"charts_script", assets::kChartsScript},
      {"evaluation_script", assets::kEvaluationScript},
  }};
  return fill_template(assets::kEvaluationPage, values);
}

}  // namespace kareus::report
