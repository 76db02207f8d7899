#include "search/expected_improvement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "search/reference.hpp"

namespace kareus::search {
namespace {

constexpr std::size_t kWorlds = TargetModel::kMembers;
/// The published search gives total energy twice the share of dynamic energy.
constexpr double kDynamicWeight = 0.5;

Objectives in_direction(Objectives total, double static_power) {
  return {.time = total.time, .energy = total.energy - static_power * total.time};
}

/// The fronts of all worlds in one plane.
class Direction {
 public:
  Direction(const Models& models, const BatchRequest& request, Pass pass, double static_power)
      : pass_(pass), static_power_(static_power) {
    std::vector<Objectives> means;
    for (const Estimate& one : request.known) means.push_back(plane(one.objectives));
    const std::size_t measured = means.size();
    for (std::size_t i = 0; i < request.closed.size(); ++i) {
      if (!request.closed[i]) {
        means.push_back(plane({.time = models.time.mean(i), .energy = models.energy.mean(i)}));
      }
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
  double improvement(const std::array<Objectives, kWorlds>& worlds) const {
    if (volume_ <= 0.0) return 0.0;
    double sum = 0.0;
    for (std::size_t w = 0; w < kWorlds; ++w) sum += fronts_[w].improvement(plane(worlds[w]));
    const double mean = sum / static_cast<double>(kWorlds) / volume_;
    return std::isfinite(mean) ? mean : 0.0;
  }
  void insert(const std::array<Objectives, kWorlds>& worlds) {
    for (std::size_t w = 0; w < kWorlds; ++w) fronts_[w].insert(plane(worlds[w]));
  }

 private:
  Objectives plane(Objectives total) const { return in_direction(total, static_power_); }

  Pass pass_;
  double static_power_;
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
    directions_.emplace_back(models, request, Pass::total_energy, 0.0);
    if (request.dynamic_direction && request.static_power > 0.0) {
      directions_.emplace_back(models, request, Pass::dynamic_energy, request.static_power);
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
  std::array<Objectives, kWorlds> worlds(std::size_t candidate) const {
    std::array<Objectives, kWorlds> result;
    for (std::size_t w = 0; w < kWorlds; ++w) {
      result[w] = {.time = models_.time.member(candidate, w, false),
                   .energy = models_.energy.member(candidate, w, true)};
    }
    return result;
  }

  Score score(std::size_t candidate) const {
    const auto predicted = worlds(candidate);
    Score result{.value = 0.0, .candidate = candidate, .picked_before = taken_};
    double largest = 0.0;
    for (const Direction& direction : directions_) {
      const double weight = direction.pass() == Pass::dynamic_energy ? kDynamicWeight : 1.0;
      const double value = weight * direction.improvement(predicted);
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
    for (Direction& direction : directions_) direction.insert(worlds(candidate));
    models_.time.believe(candidate);
    models_.energy.believe(candidate);
    ++taken_;
  }

  void fill(std::vector<Suggestion>& suggestions) {
    while (suggestions.size() < request_.count) {
      const std::size_t none = closed_.size();
      std::size_t best = none;
      double largest = 0.0;
      for (std::size_t i = 0; i < closed_.size(); ++i) {
        if (closed_[i]) continue;
        const double spread = models_.time.deviation(i) + models_.energy.deviation(i);
        if (best == none || spread > largest) {
          best = i;
          largest = spread;
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
