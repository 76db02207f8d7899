#include "evaluate/published.hpp"

#include <algorithm>

#include "base/csv.hpp"
#include "base/files.hpp"

namespace kareus::evaluate {
namespace {

void keep_undominated(Points& points) {
  std::vector<frontier::Cost> costs;
  for (const schedule::FrontierPoint& point : points) costs.push_back({point.time, point.energy});
  Points kept;
  for (const std::size_t index : frontier::pareto_front(costs)) kept.push_back(std::move(points[index]));
  points = std::move(kept);
}

}  // namespace

Result<PublishedPlans> read_published_plans(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(std::move(text).error());
  auto csv = parse_csv(*text, path.string());
  if (!csv) return tl::unexpected(std::move(csv).error());
  if (csv->header != std::vector<std::string>{"workload", "method", "time_s", "energy_j"}) {
    return fail(ErrorCode::bad_input, "the columns are not workload, method, time_s, energy_j", csv->name);
  }
  PublishedPlans plans;
  for (const auto& row : csv->rows) {
    const auto time = parse_number(row[2].text);
    const auto energy = parse_number(row[3].text);
    if (!time || !energy) return fail(ErrorCode::bad_input, "not a number", csv->where(row[2]));
    schedule::FrontierPoint point;
    point.time = Seconds(*time);
    point.energy = Joules(*energy);
    plans[{row[0].text, row[1].text}].push_back(std::move(point));
  }
  for (auto& [name, points] : plans) keep_undominated(points);
  return plans;
}

}  // namespace kareus::evaluate
