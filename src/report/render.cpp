#include <array>

#include "kareus/report.hpp"
#include "report/assets.hpp"
#include "report/html.hpp"
#include "report/page_data.hpp"

namespace kareus::report {

std::string render_html(const ReportInput& input) {
  const std::string title = escape_html(input.title);
  const std::string data = escape_json_for_script(page_data(input));
  const std::array<std::pair<std::string_view, std::string_view>, 8> values{{
      {"title", title},
      {"style", assets::kStyle},
      {"data", data},
      {"chart_library", assets::kChartLibrary},
      {"model_script", assets::kModelScript},
      {"charts_script", assets::kChartsScript},
      {"files_script", assets::kFilesScript},
      {"report_script", assets::kReportScript},
  }};
  return fill_template(assets::kPage, values);
}

}  // namespace kareus::report
