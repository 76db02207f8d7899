#include "report/page.hpp"

#include <array>
#include <utility>

#include "report/assets.hpp"
#include "report/html.hpp"

namespace kareus::report {

std::string make_page(std::string_view title, std::string_view body, std::string_view data,
                      std::span<const std::string_view> scripts) {
  using Value = std::pair<std::string_view, std::string_view>;
  const std::string safe_title = escape_html(title);
  const std::string safe_data = escape_json_for_script(data);
  const std::string filled_body = fill_template(body, std::array{Value{"title", safe_title}});
  std::string elements;
  for (const std::string_view script : scripts) {
    elements.append("<script>\n").append(script).append("\n</script>\n");
  }
  return fill_template(assets::kPage, std::array{
                                          Value{"title", safe_title},
                                          Value{"style", assets::kStyle},
                                          Value{"body", filled_body},
                                          Value{"data", safe_data},
                                          Value{"chart_library", assets::kChartLibrary},
                                          Value{"model_script", assets::kModelScript},
                                          Value{"charts_script", assets::kChartsScript},
                                          Value{"page_scripts", elements},
                                      });
}

}  // namespace kareus::report
