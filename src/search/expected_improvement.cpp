#include "search/expected_improvement.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "search/reference.hpp"

namespace kareus::search {
namespace {

constexpr std::size_t kWorlds = TargetModel::kMembers;
/// The published search gives total energy twice the share of dynamic energy.
constexpr double kDynamicWeight = 0.5;

/// The fronts of all worlds in one plane.
class Direction {
 public:
  Direction(const TargetModel& time, const TargetModel& energy, const BatchRequest& request, Pass pass,
            double static_power)
      : time_(&time), energy_(&energy), pass_(pass) {
    std::vector<Objectives> means;
    for (const Estimate& one : request.known) {
      const Objectives& total = one.objectives;
      means.push_back({.time = total.time, .energy = total.energy - static_power * total.time});
    }
    const std::size_t measured = means.size();
    for (std::size_t i = 0; i < request.closed.size(); ++i) {
      if (!request.closed[i]) means.push_back({.time = time.mean(i), .energy = energy.mean(i)});
    }
    const Objectives reference = reporting_reference(means);
    means.resize(measured);
    fronts_.assign(kWorlds, HypervolumeFront(reference, means));
    // Of one point, or of points beyond the reference, the volume says nothing; the box of the means does.
    Objectives best = means.front();
    for (const Objectives& point : means) {
      best = {std::min(best.time, point.time), std::min(best.energy, point.energy)};
    }
    const double box = std::max(0.0, reference.time - best.time) * std::max(0.0, reference.energy - best.energy);
    volume_ = std::max(fronts_.front().volume(), 0.01 * box);
  }

  Pass pass() const { return pass_; }
  /// Relative to the volume.
  double improvement(std::size_t candidate) const {
    if (volume_ <= 0.0) return 0.0;
    double sum = 0.0;
    for (std::size_t w = 0; w < kWorlds; ++w) sum += fronts_[w].improvement(member(candidate, w));
    const double mean = sum / static_cast<double>(kWorlds) / volume_;
    return std::isfinite(mean) ? mean : 0.0;
  }
  void insert(std::size_t candidate) {
    for (std::size_t w = 0; w < kWorlds; ++w) fronts_[w].insert(member(candidate, w));
  }

 private:
  Objectives member(std::size_t candidate, std::size_t world) const {
    return {.time = time_->member(candidate, world, false), .energy = energy_->member(candidate, world, true)};
  }

  const TargetModel* time_;
  const TargetModel* energy_;
  Pass pass_;
  std::vector<HypervolumeFront> fronts_;
  double volume_ = 0.0;
};

struct Score {
  double value = 0.0;
  std::size_t candidate = 0;
  std::size_t picked_before = 0;  ///< how many picks it takes into account
  Pass pass = Pass::total_energy;
  friend bool operator<(const Score& a, const Score& b) {
    return a.value != b.value ? a.value < b.value : a.candidate > b.candidate;
  }
};

class Chooser {
 public:
  Chooser(Models& models, const BatchRequest& request) : models_(models), request_(request), closed_(request.closed) {
    directions_.emplace_back(models.time, models.energy, request, Pass::total_energy, 0.0);
    if (models.dynamic) {
      directions_.emplace_back(models.time, *models.dynamic, request, Pass::dynamic_energy, request.static_power);
    }
    for (const std::size_t candidate : request.outstanding) take(candidate);
  }

  Batch choose() {
    Batch batch;
    std::array<double, 2> gains = {0.0, 0.0};
    std::priority_queue<Score> queue;
    for (std::size_t i = 0; i < closed_.size(); ++i) {
      if (!closed_[i]) queue.push(score(i));
    }
    // Expectations only fall as fronts grow and variances shrink, so a score that is still the largest after it was
    // brought up to date is the largest of all.
    while (batch.suggestions.size() < request_.count && !queue.empty()) {
      Score best = queue.top();
      queue.pop();
      if (best.value <= 0.0) break;
      if (best.picked_before != taken_) {
        best = score(best.candidate);
        queue.push(best);
        continue;
      }
      gains[best.pass == Pass::dynamic_energy ? 1 : 0] += best.value;
      batch.suggestions.push_back({.candidate = best.candidate, .pass = best.pass});
      take(best.candidate);
    }
    batch.gain = std::max(gains[0], gains[1]);
    fill(batch.suggestions);
    return batch;
  }

 private:
  Score score(std::size_t candidate) const {
    Score result{.value = 0.0, .candidate = candidate, .picked_before = taken_};
    double largest = 0.0;
    for (const Direction& direction : directions_) {
      const double weight = direction.pass() == Pass::dynamic_energy ? kDynamicWeight : 1.0;
      const double value = weight * direction.improvement(candidate);
      result.value += value;
      if (value > largest) {
        largest = value;
        result.pass = direction.pass();
      }
    }
    return result;
  }

  void take(std::size_t candidate) {
    closed_[candidate] = true;
    if (!request_.believe) return;
    for (Direction& direction : directions_) direction.insert(candidate);
    models_.time.believe(candidate);
    models_.energy.believe(candidate);
    if (models_.dynamic) models_.dynamic->believe(candidate);
    ++taken_;
  }

  /// The front of what is known, in labels.
  std::vector<Objectives> front_in_labels() const {
    std::vector<Objectives> known;
    for (const Estimate& one : request_.known) known.push_back(one.objectives);
    std::vector<Objectives> front;
    for (const std::size_t i : pareto_front(known)) {
      front.push_back({.time = models_.time.label(known[i].time), .energy = models_.energy.label(known[i].energy)});
    }
    return front;
  }

  /// By how many deviations a candidate would have to be better than predicted for no point of the front to dominate
  /// it.
  double optimism(std::size_t candidate, std::span<const Objectives> front) const {
    constexpr double kLeastDeviation = 1e-9;
    const double time = models_.time.label(models_.time.mean(candidate));
    const double energy = models_.energy.label(models_.energy.mean(candidate));
    const double time_deviation = std::max(models_.time.deviation(candidate), kLeastDeviation);
    const double energy_deviation = std::max(models_.energy.deviation(candidate), kLeastDeviation);
    const auto faster = [&](Objectives point) { return (time - point.time) / time_deviation; };
    const auto thriftier = [&](Objectives point) { return (energy - point.energy) / energy_deviation; };
    double least = std::min(faster(front.front()), thriftier(front.back()));
    for (std::size_t i = 0; i + 1 < front.size(); ++i) {
      least = std::min(least, std::max(faster(front[i + 1]), thriftier(front[i])));
    }
    return least;
  }

  /// Adds what needs the least optimism to be on the front.
  void fill(std::vector<Suggestion>& suggestions) {
    if (suggestions.size() >= request_.count) return;
    const std::vector<Objectives> front = front_in_labels();
    while (suggestions.size() < request_.count) {
      const std::size_t none = closed_.size();
      std::size_t best = none;
      double least = 0.0;
      for (std::size_t i = 0; i < closed_.size(); ++i) {
        if (closed_[i]) continue;
        const double needed = optimism(i, front);
        if (best == none || needed < least) {
          best = i;
          least = needed;
        }
      }
      if (best == none) return;
      suggestions.push_back({.candidate = best, .pass = Pass::uncertainty});
      take(best);
    }
  }

  Models& models_;
  const BatchRequest& request_;
  std::vector<bool> closed_;
  std::vector<Direction> directions_;
  std::size_t taken_ = 0;
};

}  // namespace

Batch choose_batch(Models& models, const BatchRequest& request) {
  KAREUS_CHECK(!request.known.empty());
  return Chooser(models, request).choose();
}

}  // namespace kareus::search
