#include "frontier/pareto_sum.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "kareus/result.hpp"

namespace kareus::frontier {
namespace {

/// Whether `a` is below `b` by more than rounding noise.
bool clearly_below(double a, double b) {
  return a < b - kRoundingNoise * std::fabs(b);
}

/// The next sum of one row of the merge: one cost of the short front with ascending costs of the long one.
struct RowHead {
  double time;
  double energy;
  std::uint32_t row;
  std::uint32_t column;

  /// Order of a min-heap: earliest first, of equal times the cheapest.
  bool operator<(const RowHead& other) const {
    return std::tie(time, energy, row, column) > std::tie(other.time, other.energy, other.row, other.column);
  }
};

}  // namespace

ParetoSum::ParetoSum(std::span<const std::vector<Cost>> parts) : part_count_(parts.size()) {
  KAREUS_CHECK(!parts.empty());
  layers_.reserve(2 * parts.size());
  // Smallest fronts are added first: sums stay small for as long as they can.
  using Entry = std::pair<std::size_t, std::size_t>;  // points, layer
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    layers_.push_back(filtered(parts[i], i));
    open.emplace(layers_.back().costs.size(), i);
  }
  while (open.size() > 1) {
    const std::size_t a = open.top().second;
    open.pop();
    const std::size_t b = open.top().second;
    open.pop();
    layers_.push_back(sum(a, b));
    open.emplace(layers_.back().costs.size(), layers_.size() - 1);
  }
}

ParetoSum::Layer ParetoSum::filtered(const std::vector<Cost>& part, std::size_t index) {
  KAREUS_CHECK(!part.empty());
  Layer layer{.costs = {}, .sources = {}, .left_layer = -1, .right_layer = -1, .part = index};
  for (const std::size_t i : pareto_front(part)) {
    KAREUS_CHECK(std::isfinite(part[i].time.si()) && std::isfinite(part[i].effective_energy.si()));
    layer.costs.push_back(part[i]);
    layer.sources.push_back({.left = static_cast<std::uint32_t>(i)});
  }
  return layer;
}

// Both operands ascend in time and descend in energy, so the sums of one cost of the short front with the long one
// are a sorted row; merging the rows visits sums in order of time, and a row skips by bisection whatever the cheapest
// sum so far dominates.
ParetoSum::Layer ParetoSum::sum(std::size_t a, std::size_t b) const {
  if (layers_[a].costs.size() > layers_[b].costs.size()) std::swap(a, b);
  const std::vector<Cost>& rows = layers_[a].costs;
  const std::vector<Cost>& columns = layers_[b].costs;
  Layer result{.costs = {},
               .sources = {},
               .left_layer = static_cast<std::int64_t>(a),
               .right_layer = static_cast<std::int64_t>(b)};

  const auto head = [&](std::size_t row, std::size_t column) {
    return RowHead{.time = rows[row].time.si() + columns[column].time.si(),
                   .energy = rows[row].effective_energy.si() + columns[column].effective_energy.si(),
                   .row = static_cast<std::uint32_t>(row),
                   .column = static_cast<std::uint32_t>(column)};
  };
  std::priority_queue<RowHead> heads;
  for (std::size_t row = 0; row < rows.size(); ++row) heads.push(head(row, 0));

  while (!heads.empty()) {
    const RowHead next = heads.top();
    heads.pop();
    if (result.costs.empty() || clearly_below(next.energy, result.costs.back().effective_energy.si())) {
      const Source source{.left = next.row, .right = next.column};
      const Cost cost{.time = Seconds(next.time), .effective_energy = Joules(next.energy)};
      const bool same_time = !result.costs.empty() && !clearly_below(result.costs.back().time.si(), next.time);
      if (same_time) {
        result.costs.back() = cost;
        result.sources.back() = source;
      } else {
        result.costs.push_back(cost);
        result.sources.push_back(source);
      }
    }
    const double row_energy = rows[next.row].effective_energy.si();
    const double best = result.costs.back().effective_energy.si();
    const auto candidate = std::partition_point(
        columns.begin() + next.column + 1, columns.end(),
        [&](const Cost& column) { return !clearly_below(row_energy + column.effective_energy.si(), best); });
    if (candidate != columns.end()) {
      heads.push(head(next.row, static_cast<std::size_t>(candidate - columns.begin())));
    }
  }
  return result;
}

std::vector<std::uint32_t> ParetoSum::choices(std::size_t index) const {
  std::vector<std::uint32_t> result(part_count_, 0);
  std::vector<std::pair<std::size_t, std::size_t>> open{{layers_.size() - 1, index}};
  while (!open.empty()) {
    const auto [layer_index, point] = open.back();
    open.pop_back();
    const Layer& layer = layers_[layer_index];
    const Source source = layer.sources[point];
    if (layer.left_layer < 0) {
      result[layer.part] = source.left;
      continue;
    }
    open.emplace_back(static_cast<std::size_t>(layer.left_layer), source.left);
    open.emplace_back(static_cast<std::size_t>(layer.right_layer), source.right);
  }
  return result;
}

}  // namespace kareus::frontier
