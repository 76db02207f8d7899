#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pipeline/rounding_search.hpp"

namespace kareus::pipeline {
namespace {

constexpr std::size_t kMost = kLargestNeighbourhood;
constexpr std::uint32_t kReach = 3;  ///< corners of the hull looked at on each side of the present option
constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kLeastGain = 1e-9;  ///< relative to the energy of the neighbourhood

/// A few nodes with what the rest of the DAG demands of them.
class Neighbourhood {
 public:
  /// `members` ascending. Reuses the memory of the last call.
  void prepare(RoundingState& state, std::span<const std::uint32_t> members, double limit) {
    state_ = &state;
    limit_ = limit;
    count_ = members.size();
    std::copy(members.begin(), members.end(), member_.begin());
    const std::uint32_t low = member_[0];
    const std::uint32_t high = member_[count_ - 1];
    state.slack().ask(low, high);
    scratch_.resize(high - low + 1);
    low_ = low;
    marks_.assign(high - low + 1, 0);
    for (const std::uint32_t member : members) marks_[member - low] = 1;
    paths_before(low, high);
    paths_after(low, high);
    for (std::size_t i = 0; i < count_; ++i) paths_from(i, low, high);
    prepare_bounds();
  }

  /// The cheapest choice found for the members, or false when none is cheaper than the present one.
  bool solve(std::size_t& budget, bool all_options) {
    all_options_ = all_options;
    double now = 0;
    for (std::size_t i = 0; i < count_; ++i) now += state_->energy(member_[i]);
    best_energy_ = now - kLeastGain * std::abs(now);
    found_ = false;
    tried_ = 0;
    descend(0, 0.0);
    budget -= std::min(budget, tried_);
    return found_;
  }
  std::span<const std::uint32_t> choice() const { return std::span(best_).first(count_); }

 private:
  /// Of a node between the first and the last member.
  bool among_members(std::uint32_t node) const { return marks_[node - low_] != 0; }
  double latency() const { return state_->problem().switch_latency; }

  /// Longest paths to the begin of each member that pass no other member.
  void paths_before(std::uint32_t low, std::uint32_t high) {
    const Slack& slack = state_->slack();
    std::size_t next = 0;
    for (std::uint32_t node = low; node <= high; ++node) {
      double stage = kNever;
      double others = 0;
      for (const Slack::Edge& edge : slack.predecessors(node)) {
        if (edge.node >= low && among_members(edge.node)) continue;
        const double begin = edge.node >= low ? scratch_[edge.node - low] : slack.before(edge.node);
        double& side = edge.node == slack.stage_before(node) ? stage : others;
        side = std::max(side, begin + slack.duration(edge.node) + edge.lag);
      }
      scratch_[node - low] = std::max(others, stage + slack.switch_before(node));
      if (next < count_ && member_[next] == node) {
        in_stage_[next] = stage;
        in_others_[next] = others;
        ++next;
      }
    }
  }

  /// Longest paths from the end of each member that pass no other member.
  void paths_after(std::uint32_t low, std::uint32_t high) {
    const Slack& slack = state_->slack();
    std::size_t next = count_;
    for (std::uint32_t node = high + 1; node-- > low;) {
      double stage = kNever;
      double others = slack.tail(node);
      for (const Slack::Edge& edge : slack.successors(node)) {
        if (edge.node <= high && among_members(edge.node)) continue;
        const double after = edge.node <= high ? scratch_[edge.node - low] : slack.after(edge.node);
        const bool on_stage = edge.node == slack.stage_after(node);
        double& side = on_stage ? stage : others;
        const bool is_member = next > 0 && member_[next - 1] == node;
        const double change = on_stage && !is_member ? slack.switch_before(edge.node) : 0.0;
        side = std::max(side, after + slack.duration(edge.node) + edge.lag + change);
      }
      scratch_[node - low] = std::max({others, stage, slack.switch_after(node)});
      if (next > 0 && member_[next - 1] == node) {
        --next;
        out_stage_[next] = stage;
        out_others_[next] = others;
      }
    }
  }

  /// Longest paths from the end of member `i` to the begins of later ones that pass no other member.
  void paths_from(std::size_t i, std::uint32_t low, std::uint32_t high) {
    const Slack& slack = state_->slack();
    const std::uint32_t from = member_[i];
    std::size_t next = i + 1;
    between_[i].fill(kNever);
    on_stage_[i].fill(false);
    for (std::uint32_t node = from + 1; node <= high; ++node) {
      double longest = kNever;
      const bool is_member = next < count_ && member_[next] == node;
      for (const Slack::Edge& edge : slack.predecessors(node)) {
        if (edge.node < from || (edge.node > from && among_members(edge.node))) continue;
        const bool stage_edge = edge.node == slack.stage_before(node);
        double length = edge.node == from ? 0.0 : scratch_[edge.node - low] + slack.duration(edge.node);
        length += edge.lag;
        if (edge.node == from && is_member && stage_edge) {
          on_stage_[i][next] = true;
          stage_lag_[next] = edge.lag;
          continue;
        }
        // Whether the clock changes at an edge between a member and another node is not known yet.
        if (stage_edge) length += edge.node == from || is_member ? latency() : slack.switch_before(node);
        longest = std::max(longest, length);
      }
      scratch_[node - low] = longest;
      if (is_member) between_[i][next++] = longest;
    }
  }

  /// What is left of the limit after each member at least, and the least energy of it and all later ones.
  void prepare_bounds() {
    std::array<double, kMost> earliest{};
    for (std::size_t j = 0; j < count_; ++j) {
      earliest[j] = std::max(in_others_[j], in_stage_[j]);
      for (std::size_t i = 0; i < j; ++i) {
        const double fastest = state_->front(member_[i]).time.front();
        double path = between_[i][j];
        if (on_stage_[i][j]) path = std::max(path, stage_lag_[j]);
        earliest[j] = std::max(earliest[j], earliest[i] + fastest + path);
      }
    }
    least_energy_[count_] = 0;
    for (std::size_t i = count_; i-- > 0;) {
      latest_[i] = limit_ - std::max(out_others_[i], out_stage_[i]);
      for (std::size_t j = i + 1; j < count_; ++j) {
        const double fastest = state_->front(member_[j]).time.front();
        double path = between_[i][j];
        if (on_stage_[i][j]) path = std::max(path, stage_lag_[j]);
        latest_[i] = std::min(latest_[i], latest_[j] - fastest - path);
      }
      const Front& front = state_->front(member_[i]);
      least_energy_[i] = least_energy_[i + 1] + front.energy[front.cheapest_within(latest_[i] - earliest[i])];
    }
  }

  /// Begin of member j with that clock after the choices made for the members before it.
  double begin_of(std::size_t j, Clock clock) const {
    const std::uint32_t before = state_->slack().stage_before(member_[j]);
    double begin = in_others_[j];
    if (in_stage_[j] != kNever) {
      begin = std::max(begin, in_stage_[j] + (state_->clock(before) == clock ? 0.0 : latency()));
    }
    for (std::size_t i = 0; i < j; ++i) {
      double path = between_[i][j];
      if (on_stage_[i][j]) {
        const bool same = state_->front(member_[i]).clock[chosen_[i]] == clock;
        path = std::max(path, stage_lag_[j] + (same ? 0.0 : latency()));
      }
      begin = std::max(begin, end_[i] + path);
    }
    return begin;
  }

  double latest_end(std::size_t j, Clock clock) const {
    double latest = latest_[j];
    if (latency() == 0) return latest;
    const Slack& slack = state_->slack();
    if (out_stage_[j] != kNever) {
      const bool same = state_->clock(slack.stage_after(member_[j])) == clock;
      latest = std::min(latest, limit_ - out_stage_[j] - (same ? 0.0 : latency()));
    }
    const std::uint32_t first = slack.stage_first(member_[j]);
    if (first != kNoNode && state_->clock(first) != clock) latest = std::min(latest, limit_ - latency());
    return latest;
  }

  void try_option(std::size_t j, std::uint32_t position, double energy) {
    const Front& front = state_->front(member_[j]);
    const double sum = energy + front.energy[position];
    if (sum + least_energy_[j + 1] >= best_energy_) return;
    const Clock clock = front.clock[position];
    end_[j] = begin_of(j, clock) + front.time[position];
    if (end_[j] > latest_end(j, clock)) return;
    chosen_[j] = position;
    descend(j + 1, sum);
  }

  void descend(std::size_t j, double energy) {
    ++tried_;
    if (j == count_) {
      best_energy_ = energy - kLeastGain * std::abs(energy);
      best_ = chosen_;
      found_ = true;
      return;
    }
    const Front& front = state_->front(member_[j]);
    const std::uint32_t now = state_->position(member_[j]);
    const double window = latest_[j] - begin_of(j, Clock{-1});
    const std::uint32_t fill = front.cheapest_within(window + (front.descending ? 0.0 : latency()));
    try_option(j, fill, energy);
    if (all_options_ && (j + 1 < count_ || !front.descending)) {
      for (std::uint32_t i = fill; i-- > 0;) try_option(j, i, energy);
      return;
    }
    // With one clock order nothing else but the fill can be best for the last member.
    if (front.descending && j + 1 == count_) return;
    const auto here = static_cast<std::uint32_t>(std::lower_bound(front.corner.begin(), front.corner.end(), now) -
                                                 front.corner.begin());
    const std::uint32_t first = here > kReach ? here - kReach : 0;
    const std::uint32_t last = std::min(here + kReach + 1, static_cast<std::uint32_t>(front.corner.size()));
    for (std::uint32_t i = last; i-- > first;) {
      if (front.corner[i] != fill && front.corner[i] != now) try_option(j, front.corner[i], energy);
    }
    if (now != fill) try_option(j, now, energy);
  }

  const RoundingState* state_ = nullptr;
  double limit_ = 0;
  std::size_t count_ = 0;
  std::array<std::uint32_t, kMost> member_{}, chosen_{}, best_{};
  std::array<double, kMost> in_stage_{}, in_others_{}, out_stage_{}, out_others_{}, latest_{}, end_{}, stage_lag_{};
  std::array<double, kMost + 1> least_energy_{};
  std::array<std::array<double, kMost>, kMost> between_{};
  std::array<std::array<bool, kMost>, kMost> on_stage_{};
  double best_energy_ = 0;
  bool found_ = false;
  bool all_options_ = false;
  std::size_t tried_ = 0;
  std::vector<double> scratch_;
  std::uint32_t low_ = 0;
  std::vector<std::uint8_t> marks_;  ///< of members, from `low_` on
};

/// Sets of neighbouring nodes around a node.
class Sets {
 public:
  Sets(const RoundingState& state, std::size_t most) : state_(&state), most_(most) {}

  /// The node and those joined to it directly.
  std::span<const std::uint32_t> star(std::uint32_t node) {
    members_.assign(1, node);
    for (const Slack::Edge& edge : state_->slack().successors(node)) add(edge.node);
    for (const Slack::Edge& edge : state_->slack().predecessors(node)) add(edge.node);
    return finish();
  }
  /// The node, the one it waits for on another stage, and those after both: nodes that run side by side.
  std::span<const std::uint32_t> block(std::uint32_t node) {
    const Slack& slack = state_->slack();
    members_.assign(1, node);
    add(slack.stage_after(node));
    for (const Slack::Edge& edge : slack.predecessors(node)) {
      if (edge.node == slack.stage_before(node)) continue;
      add(edge.node);
      add(slack.stage_after(edge.node));
      add(slack.stage_before(edge.node));
    }
    add(slack.stage_before(node));
    return finish();
  }

 private:
  void add(std::uint32_t node) {
    if (node == kNoNode || members_.size() == most_) return;
    if (state_->problem().switch_latency > 0 && state_->slack().stage_last(node) != kNoNode) return;
    if (std::find(members_.begin(), members_.end(), node) == members_.end()) members_.push_back(node);
  }
  std::span<const std::uint32_t> finish() {
    std::sort(members_.begin(), members_.end());
    return members_;
  }

  const RoundingState* state_;
  std::size_t most_;
  std::vector<std::uint32_t> members_;
};

}  // namespace

void search_neighbourhoods(RoundingState& state, double limit, std::size_t most, std::size_t& budget) {
  KAREUS_CHECK(most <= kMost);
  Neighbourhood neighbourhood;
  Sets sets(state, most);
  const bool clocks = state.problem().switch_latency > 0;
  const auto improve = [&](std::span<const std::uint32_t> members, bool all_options = false) {
    if (members.size() < 2) return false;
    neighbourhood.prepare(state, members, limit);
    if (!neighbourhood.solve(budget, all_options)) return false;
    for (std::size_t i = 0; i < members.size(); ++i) state.set(members[i], neighbourhood.choice()[i]);
    return true;
  };
  const auto improve_pair = [&](std::uint32_t node) {
    const std::uint32_t after = state.slack().stage_after(node);
    return after != kNoNode && improve(std::array{node, after}, true);
  };
  for (bool improved = true; improved && budget > 0;) {
    improved = false;
    state.slack().start_sweep();
    for (std::uint32_t node = 0; node < state.positions().size() && budget > 0; ++node) {
      // A stage's first node also decides what the stage does at its end, which a neighbourhood does not see.
      if (clocks && state.slack().stage_last(node) != kNoNode) continue;
      improved = improve(sets.star(node)) || improved;
      improved = improve(sets.block(node)) || improved;
      improved = improve_pair(node) || improved;
    }
    state.slack().finish_sweep();
  }
}

}  // namespace kareus::pipeline
