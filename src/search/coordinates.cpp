#include "search/coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace kareus::search {
namespace {

using Axis = Coordinates::Axis;

/// Columns that belong to one category: a shared name before `=`, and exactly one 1 per row.
std::map<std::string, std::vector<std::size_t>> categories(const Space& space) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t j = 0; j < space.features.size(); ++j) {
    const auto equals = space.features[j].find('=');
    if (equals != std::string::npos) groups[space.features[j].substr(0, equals)].push_back(j);
  }
  std::erase_if(groups, [&](const auto& group) {
    return !std::all_of(space.rows.begin(), space.rows.end(), [&](const std::vector<double>& row) {
      const auto is = [&](double value) {
        return std::count_if(group.second.begin(), group.second.end(),
                             [&](std::size_t column) { return row[column] == value; });
      };
      return is(1.0) == 1 && is(0.0) + 1 == static_cast<std::ptrdiff_t>(group.second.size());
    });
  });
  return groups;
}

/// Maps values to [0, 1] and to their ranks.
Axis numeric_axis(std::vector<double> values) {
  Axis axis;
  std::vector<double> distinct = values;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const double value : values) {
    const auto found = std::lower_bound(distinct.begin(), distinct.end(), value);
    axis.level.push_back(static_cast<std::size_t>(found - distinct.begin()));
  }
  const double low = distinct.front() / 2;
  const double half_range = distinct.back() / 2 - low;  // halves, because the difference may overflow
  for (const double value : distinct) {
    axis.levels.push_back(half_range > 0 ? (value / 2 - low) / half_range : 0.0);
  }
  return axis;
}

std::vector<double> placed(std::vector<double> values, bool is_clock) {
  constexpr double kWideRange = 8.0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low <= 0.0) return values;
  if (!is_clock && *high / *low < kWideRange) return values;
  for (double& value : values) value = std::log(value);
  return values;
}

}  // namespace

Coordinates::Coordinates(const Space& space) : candidates_(space.rows.size()) {
  std::vector<bool> used(space.features.size(), false);
  for (const auto& [name, columns] : categories(space)) {
    Axis axis{.category = true, .levels = {}, .level = std::vector<std::size_t>(candidates_, 0)};
    for (std::size_t k = 0; k < columns.size(); ++k) {
      used[columns[k]] = true;
      axis.levels.push_back(static_cast<double>(k));
      for (std::size_t i = 0; i < candidates_; ++i) {
        if (space.rows[i][columns[k]] == 1.0) axis.level[i] = k;
      }
    }
    if (axis.levels.size() > 1) axes_.push_back(std::move(axis));
  }
  for (std::size_t j = 0; j < space.features.size(); ++j) {
    if (used[j]) continue;
    std::vector<double> values;
    values.reserve(candidates_);
    for (const auto& row : space.rows) values.push_back(row[j]);
    Axis axis = numeric_axis(placed(std::move(values), space.clock == j));
    if (axis.levels.size() > 1) axes_.push_back(std::move(axis));
  }
}

double Coordinates::distance(const Axis& axis, std::size_t a, std::size_t b) {
  if (axis.category) return a == b ? 0.0 : 1.0;
  return std::abs(axis.levels[a] - axis.levels[b]);
}

double Coordinates::squared_distance(std::size_t a, std::size_t b) const {
  double sum = 0.0;
  for (const Axis& axis : axes_) {
    const double d = distance(axis, axis.level[a], axis.level[b]);
    sum += d * d;
  }
  return sum;
}

}  // namespace kareus::search
