#include "pipeline/rounding_state.hpp"

#include <algorithm>

namespace kareus::pipeline {
namespace {

std::vector<double> durations_of(const RoundingProblem& problem, const std::vector<std::uint32_t>& positions) {
  std::vector<double> result(positions.size());
  for (std::uint32_t node = 0; node < result.size(); ++node) result[node] = problem.front(node).time[positions[node]];
  return result;
}

}  // namespace

RoundingState::RoundingState(const RoundingProblem& problem, std::vector<std::uint32_t> positions)
    : problem_(&problem), positions_(std::move(positions)), slack_(problem.dag, durations_of(problem, positions_)) {
  if (problem.switch_latency == 0) return;
  for (std::uint32_t node = 0; node < positions_.size(); ++node) update_switches(node, nullptr);
}

double RoundingState::energy() const {
  double sum = 0;
  for (std::uint32_t node = 0; node < positions_.size(); ++node) sum += energy(node);
  return sum;
}

// Of the edges at the node: into it, and to the first node of the next iteration where it is the last.
void RoundingState::update_switches(std::uint32_t node, std::vector<std::uint32_t>* changed) {
  const double latency = problem_->switch_latency;
  const auto needed = [&](std::uint32_t a, std::uint32_t b) { return clock(a) == clock(b) ? 0.0 : latency; };
  if (const std::uint32_t before = slack_.stage_before(node); before != kNoNode) {
    slack_.set_switch_before(node, needed(before, node), changed);
  }
  if (const std::uint32_t after = slack_.stage_after(node); after != kNoNode) {
    slack_.set_switch_before(after, needed(node, after), changed);
  }
  if (const std::uint32_t first = slack_.stage_first(node); first != kNoNode) {
    slack_.set_switch_after(node, needed(node, first), changed);
  }
  if (const std::uint32_t last = slack_.stage_last(node); last != kNoNode) {
    slack_.set_switch_after(last, needed(last, node), changed);
  }
}

void RoundingState::set(std::uint32_t node, std::uint32_t position, std::vector<std::uint32_t>* changed) {
  const Clock before = clock(node);
  positions_[node] = position;
  slack_.set_duration(node, front(node).time[position], changed);
  if (problem_->switch_latency > 0 && clock(node) != before) update_switches(node, changed);
}

RoundingState::Window RoundingState::window(std::uint32_t node, double limit) const {
  Window window;
  if (problem_->switch_latency == 0) {
    const double length = slack_.window(node, limit);
    for (auto& row : window.length_) row[0] = row[1] = length;
    return window;
  }
  const double latency = problem_->switch_latency;
  const Slack::Sides in = slack_.sides_before(node);
  const Slack::Sides out = slack_.sides_after(node);
  const std::uint32_t before = slack_.stage_before(node);
  const std::uint32_t after = slack_.stage_after(node);
  const std::uint32_t first = slack_.stage_first(node);
  window.before_ = before == kNoNode ? Clock{-1} : clock(before);
  window.after_ = after != kNoNode ? clock(after) : first != kNoNode && first != node ? clock(first) : Clock{-1};
  for (int same_before = 0; same_before < 2; ++same_before) {
    for (int same_after = 0; same_after < 2; ++same_after) {
      const double begin = std::max(in.others, in.stage + (same_before == 1 ? 0 : latency));
      double rest = std::max(out.others, out.stage + (same_after == 1 ? 0 : latency));
      if (first != kNoNode && first != node && same_after == 0) rest = std::max(rest, latency);
      window.length_[same_before][same_after] = limit - begin - rest;
    }
  }
  return window;
}

bool RoundingState::fits(std::uint32_t node, std::uint32_t position, const Window& window, double limit) {
  const Clock wanted = front(node).clock[position];
  if (front(node).time[position] > window.at(wanted)) return false;
  const std::uint32_t last = slack_.stage_last(node);
  if (problem_->switch_latency == 0 || last == kNoNode || last == node || wanted == clock(node)) return true;
  // The first node's clock also decides what the stage does at its end.
  const std::uint32_t now = positions_[node];
  set(node, position);
  const bool result = makespan() <= limit;
  set(node, now);
  return result;
}

}  // namespace kareus::pipeline
