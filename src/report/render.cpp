#include <array>

#include "kareus/report.hpp"
#include "report/assets.hpp"
#include "report/page.hpp"
#include "report/page_data.hpp"

namespace kareus::report {

std::string render_html(const ReportInput& input) {
  return make_page(input.title, assets::kReportBody, page_data(input),
                   std::array{assets::kTimelinesScript, assets::kPipelinesScript, assets::kFilesScript,
                              assets::kReportScript});
}

}  // namespace kareus::report
