#include "search/acquisition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/reference.hpp"

namespace kareus::search {
namespace {

/// Maps the observed range of each objective to [0, 1].
class Normaliser {
 public:
  explicit Normaliser(std::span<const Objectives> observed) {
    Objectives high = observed.front();
    low_ = observed.front();
    for (const Objectives& point : observed) {
      low_ = {std::min(low_.time, point.time), std::min(low_.energy, point.energy)};
      high = {std::max(high.time, point.time), std::max(high.energy, point.energy)};
    }
    range_ = {high.time > low_.time ? high.time - low_.time : 1.0,
              high.energy > low_.energy ? high.energy - low_.energy : 1.0};
  }

  Objectives operator()(Objectives point) const {
    return {(point.time - low_.time) / range_.time, (point.energy - low_.energy) / range_.energy};
  }
  Objectives range() const { return range_; }

 private:
  Objectives low_;
  Objectives range_;
};

void round_scores(std::vector<double>& scores) {
  constexpr double kSteps = 1099511627776.0;  // 2^40
  double largest = 0.0;
  for (const double score : scores) largest = std::max(largest, std::abs(score));
  if (largest == 0.0) return;
  for (double& score : scores) score = std::round(score / largest * kSteps) / kSteps * largest;
}

/// By how much both objectives of a point would have to fall for it to leave the region that the front dominates; at
/// most 0 when it is outside already.
double depth(std::span<const Objectives> front, Objectives point) {
  // The outer corners of the staircase: between neighbours, and beyond the first and the last point.
  double least = std::min(point.time - front.front().time, point.energy - front.back().energy);
  for (std::size_t i = 0; i + 1 < front.size(); ++i) {
    least = std::min(least, std::max(point.time - front[i + 1].time, point.energy - front[i].energy));
  }
  return least;
}

FrontScores score_against_front(std::span<const Objectives> observed, std::span<const Objectives> predicted) {
  const Normaliser normalise(observed);
  std::vector<Objectives> points;
  points.reserve(observed.size());
  for (const Objectives& point : observed) points.push_back(normalise(point));
  const HypervolumeFront front(normalise(acquisition_reference(observed)), points);
  FrontScores scores;
  for (const Objectives& point : predicted) {
    scores.improvement.push_back(front.improvement(normalise(point)));
    scores.nearness.push_back(-depth(front.points(), normalise(point)));
  }
  round_scores(scores.improvement);
  round_scores(scores.nearness);
  return scores;
}

double deviation(const std::vector<std::vector<Objectives>>& ensemble, std::size_t candidate,
                 double Objectives::*objective) {
  const double count = static_cast<double>(ensemble.size());
  double mean = 0.0;
  for (const auto& member : ensemble) mean += member[candidate].*objective / count;
  double variance = 0.0;
  for (const auto& member : ensemble) {
    const double difference = member[candidate].*objective - mean;
    variance += difference * difference / count;
  }
  return std::sqrt(variance);
}

std::vector<double> spreads(std::span<const Objectives> observed, const Forecast& forecast) {
  const Objectives range = Normaliser(observed).range();
  std::vector<double> scores;
  scores.reserve(forecast.mean.size());
  for (std::size_t i = 0; i < forecast.mean.size(); ++i) {
    scores.push_back(deviation(forecast.ensemble, i, &Objectives::time) / range.time +
                     deviation(forecast.ensemble, i, &Objectives::energy) / range.energy);
  }
  round_scores(scores);
  return scores;
}

/// Picks the best of what is left, again and again.
class BatchPicker {
 public:
  explicit BatchPicker(std::span<const std::size_t> order) : left_(order.begin(), order.end()) {}

  /// Up to `count` candidates with a score above `threshold`, best first.
  std::vector<std::size_t> take(std::size_t count, const std::vector<double>& scores,
                                double threshold = -std::numeric_limits<double>::infinity()) {
    std::vector<std::size_t> ranked = left_;
    std::erase_if(ranked, [&](std::size_t candidate) { return !(scores[candidate] > threshold); });
    std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    ranked.resize(std::min(count, ranked.size()));
    std::erase_if(left_, [&](std::size_t candidate) {
      return std::find(ranked.begin(), ranked.end(), candidate) != ranked.end();
    });
    return ranked;
  }

 private:
  std::vector<std::size_t> left_;  ///< in the order of ties
};

}  // namespace

std::vector<Objectives> with_static_energy(std::span<const Objectives> points, double static_power) {
  std::vector<Objectives> total(points.begin(), points.end());
  for (Objectives& point : total) point.energy += static_power * point.time;
  return total;
}

BatchShares split_batch(const MultiPassOptions& options, std::size_t batch_size) {
  std::size_t left = batch_size;
  const auto share = [&](double fraction) {
    const double wanted = std::round(fraction * static_cast<double>(batch_size));
    const std::size_t count = std::min(left, static_cast<std::size_t>(wanted));
    left -= count;
    return count;
  };
  BatchShares shares;
  shares.total_energy = share(options.total_share);
  shares.dynamic_energy = share(options.dynamic_share);
  shares.static_energy = share(options.static_share);
  shares.uncertainty = left;
  return shares;
}

Scores score_candidates(std::span<const Objectives> observed, const Forecast& forecast, double static_power) {
  KAREUS_CHECK(!observed.empty());
  Scores scores;
  scores.dynamic_energy = score_against_front(observed, forecast.mean);
  scores.total_energy =
      score_against_front(with_static_energy(observed, static_power), with_static_energy(forecast.mean, static_power));
  const Normaliser normalise(observed);
  for (const Objectives& point : forecast.mean) scores.static_energy.push_back(-normalise(point).time);
  round_scores(scores.static_energy);
  scores.uncertainty = spreads(observed, forecast);
  return scores;
}

std::vector<Suggestion> select_batch(const Scores& scores, BatchShares shares, std::span<const std::size_t> order) {
  const std::size_t size =
      std::min(order.size(), shares.total_energy + shares.dynamic_energy + shares.static_energy + shares.uncertainty);
  BatchPicker picker(order);
  std::vector<Suggestion> batch;
  const auto add = [&](const std::vector<std::size_t>& candidates, Pass pass) {
    for (const std::size_t candidate : candidates) batch.push_back({candidate, pass});
  };
  const FrontScores& total = scores.total_energy;
  const FrontScores& dynamic = scores.dynamic_energy;
  add(picker.take(shares.total_energy, total.improvement, 0.0), Pass::total_energy);
  add(picker.take(shares.dynamic_energy, dynamic.improvement, 0.0), Pass::dynamic_energy);
  add(picker.take(shares.static_energy, scores.static_energy), Pass::static_energy);
  add(picker.take(shares.uncertainty, scores.uncertainty), Pass::uncertainty);

  const auto fill = [&](const std::vector<double>& by_total, const std::vector<double>& by_dynamic, double threshold) {
    std::vector<double> larger = by_total;
    for (std::size_t i = 0; i < larger.size(); ++i) larger[i] = std::max(larger[i], by_dynamic[i]);
    for (const std::size_t candidate : picker.take(size - batch.size(), larger, threshold)) {
      const bool is_total = by_total[candidate] >= by_dynamic[candidate];
      batch.push_back({candidate, is_total ? Pass::total_energy : Pass::dynamic_energy});
    }
  };
  fill(total.improvement, dynamic.improvement, 0.0);
  fill(total.nearness, dynamic.nearness, -std::numeric_limits<double>::infinity());
  return batch;
}

}  // namespace kareus::search
