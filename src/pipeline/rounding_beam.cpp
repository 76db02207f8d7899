#include "pipeline/rounding_beam.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace kareus::pipeline {
namespace {

/// Options looked at per node, the least reduced costs first, and how far apart in time they are, relative: many
/// measured options are nearly the same.
constexpr std::size_t kOptions = 12;
constexpr double kApart = 3e-3;
/// Ends that differ by less than this part of the iteration are the same.
constexpr double kResolution = 1e-4;
/// Partial plans compete within lanes of equal lateness against the curve, each so wide, relative to the iteration:
/// what is late now can be made good later, at another price than now.
constexpr std::size_t kLanes = 16;
constexpr double kLane = 1e-3;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Beam::Beam(const RoundingProblem& problem, std::size_t width)
    : problem_(&problem), width_(width), fastest_after_(problem.dag.size(), 0.0), successors_(problem.dag.size(), 0) {
  const Dag& dag = problem.dag;
  edge_begin_.push_back(0);
  for (std::uint32_t node = 0; node < dag.size(); ++node) {
    edge_begin_.push_back(edge_begin_.back() + static_cast<std::uint32_t>(dag.predecessors[node].size()));
    for (const Dag::Predecessor& p : dag.predecessors[node]) ++successors_[p.node];
    if (!dag.tail.empty()) fastest_after_[node] = dag.tail[node].si();
  }
  for (std::uint32_t node = static_cast<std::uint32_t>(dag.size()); node-- > 0;) {
    for (const Dag::Predecessor& p : dag.predecessors[node]) {
      fastest_after_[p.node] =
          std::max(fastest_after_[p.node], p.lag.si() + problem.front(node).time.front() + fastest_after_[node]);
    }
  }
  seen_.resize(std::bit_ceil(4 * width));
  stamp_.resize(seen_.size(), 0);
}

/// In the order of time on the curve, so that the partial plans are about equally far on all stages.
void Beam::plan_order(const CurvePoint& point) {
  const Dag& dag = problem_->dag;
  const Timing timing = earliest_times(dag, point.durations);
  nominal_end_.resize(dag.size());
  for (std::uint32_t node = 0; node < dag.size(); ++node) {
    nominal_end_[node] = timing.start[node].si() + point.durations[node].si();
  }
  order_.resize(dag.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return timing.start[a] != timing.start[b] ? timing.start[a] < timing.start[b] : a < b;
  });
  slot_.assign(dag.size(), kNoNode);
  left_ = successors_;
  std::vector<std::uint32_t> free;
  slots_ = 0;
  for (const std::uint32_t node : order_) {
    for (const Dag::Predecessor& p : dag.predecessors[node]) {
      if (--left_[p.node] == 0) free.push_back(slot_[p.node]);
    }
    if (free.empty()) {
      slot_[node] = static_cast<std::uint32_t>(slots_++);
    } else {
      slot_[node] = free.back();
      free.pop_back();
    }
    if (successors_[node] == 0) free.push_back(slot_[node]);
  }
  ++slots_;
  left_ = successors_;
}

void Beam::choose_options(const CurvePoint& point) {
  options_.resize(problem_->dag.size());
  std::vector<std::pair<double, std::uint32_t>> costs;
  for (std::uint32_t node = 0; node < options_.size(); ++node) {
    const Front& front = problem_->front(node);
    const double price = point.node_price[node].si();
    costs.clear();
    for (std::uint32_t i = 0; i < front.size(); ++i) costs.emplace_back(front.energy[i] + price * front.time[i], i);
    std::sort(costs.begin(), costs.end());
    auto& chosen = options_[node];
    chosen.clear();
    for (const auto& [cost, position] : costs) {
      const double time = front.time[position];
      const bool near = std::any_of(chosen.begin(), chosen.end(),
                                    [&](const Choice& other) { return std::abs(other.time - time) < kApart * time; });
      if (near) continue;
      chosen.push_back({position, time, front.energy[position]});
      if (chosen.size() == kOptions) break;
    }
  }
}

std::uint64_t Beam::key_of(std::uint32_t node, double end) const {
  return mix((std::uint64_t{node} << 40) ^ static_cast<std::uint64_t>(std::llround(end * resolution_)));
}

void Beam::expand(std::uint32_t node, const CurvePoint& point, double limit) {
  const auto& predecessors = problem_->dag.predecessors[node];
  const Front& front = problem_->front(node);
  const double price = point.node_price[node].si();
  candidates_.clear();
  for (std::size_t i = 0; i < predecessors.size(); ++i) {
    nominal_ -= point.predecessor_price[edge_begin_[node] + i].si() * nominal_end_[predecessors[i].node];
  }
  nominal_ += price * nominal_end_[node];
  for (std::uint32_t l = 0; l < labels_.size(); ++l) {
    const double* ends = &ends_[l * slots_];
    double start = 0;
    double score = labels_[l].score;
    std::uint64_t key = labels_[l].key;
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
      const std::uint32_t before = predecessors[i].node;
      const double end = ends[slot_[before]];
      start = std::max(start, end + predecessors[i].lag.si());
      score -= point.predecessor_price[edge_begin_[node] + i].si() * end;
      if (left_[before] == 1) key -= key_of(before, end);
    }
    const double latest = limit - fastest_after_[node];
    bool any = false;
    const auto offer = [&](const Choice& choice) {
      const double end = start + choice.time;
      if (end > latest) return;
      any = true;
      candidates_.push_back({.score = score + choice.energy + price * end,
                             .end = end,
                             .energy = labels_[l].energy + choice.energy,
                             .key = key + key_of(node, end),
                             .label = l,
                             .position = choice.position});
    };
    for (const Choice& choice : options_[node]) offer(choice);
    if (!any) {
      const std::uint32_t position = front.slowest_within(latest - start);
      offer({position, front.time[position], front.energy[position]});
    }
  }
}

void Beam::keep_best(std::uint32_t node) {
  const auto cheaper = [](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score < b.score;
    return a.label != b.label ? a.label < b.label : a.position < b.position;
  };
  const std::size_t mask = seen_.size() - 1;
  if (++round_ == 0) {
    std::fill(stamp_.begin(), stamp_.end(), 0);
    round_ = 1;
  }
  next_labels_.clear();
  next_ends_.resize(width_ * slots_);
  taken_.assign(kLanes, 0);
  const double tail = problem_->dag.tail.empty() ? 0.0 : problem_->dag.tail[node].si();
  std::sort(candidates_.begin(), candidates_.end(), cheaper);
  for (const Candidate& candidate : candidates_) {
    const double late = (candidate.score - candidate.energy - nominal_) * per_lane_;
    const double lane = std::clamp(late + 0.5 * static_cast<double>(kLanes), 0.0, static_cast<double>(kLanes - 1));
    std::uint32_t& taken = taken_[static_cast<std::size_t>(lane)];
    if (taken == width_ / kLanes) continue;
    std::size_t place = candidate.key & mask;
    while (stamp_[place] == round_ && seen_[place] != candidate.key) place = (place + 1) & mask;
    if (stamp_[place] == round_) continue;
    stamp_[place] = round_;
    seen_[place] = candidate.key;
    ++taken;
    const std::size_t l = next_labels_.size();
    next_labels_.push_back({candidate.score, candidate.energy, candidate.key});
    std::copy_n(&ends_[candidate.label * slots_], slots_, &next_ends_[l * slots_]);
    next_ends_[l * slots_ + slot_[node]] = candidate.end;
    double& span = next_ends_[l * slots_ + slots_ - 1];
    span = std::max(span, candidate.end + tail);
    steps_.push_back({candidate.label, candidate.position});
  }
  labels_.swap(next_labels_);
  ends_.swap(next_ends_);
  for (const Dag::Predecessor& p : problem_->dag.predecessors[node]) --left_[p.node];
}

std::vector<std::uint32_t> Beam::search(const CurvePoint& point, double limit) {
  plan_order(point);
  choose_options(point);
  resolution_ = 1.0 / (kResolution * limit);
  nominal_ = 0;
  per_lane_ = point.slope > Watts(0) ? 1 / (point.slope.si() * kLane * limit) : 0.0;
  labels_.assign(1, {0.0, 0.0, 0});
  ends_.assign(width_ * slots_, 0.0);
  steps_.clear();
  step_begin_.clear();
  for (const std::uint32_t node : order_) {
    expand(node, point, limit);
    if (candidates_.empty()) return {};
    step_begin_.push_back(static_cast<std::uint32_t>(steps_.size()));
    keep_best(node);
  }
  const auto best = std::min_element(labels_.begin(), labels_.end(),
                                     [](const Label& a, const Label& b) { return a.energy < b.energy; });
  auto label = static_cast<std::uint32_t>(best - labels_.begin());
  std::vector<std::uint32_t> positions(order_.size());
  for (std::size_t i = order_.size(); i-- > 0;) {
    const Step step = steps_[step_begin_[i] + label];
    positions[order_[i]] = step.position;
    label = step.label;
  }
  return positions;
}

}  // namespace kareus::pipeline
