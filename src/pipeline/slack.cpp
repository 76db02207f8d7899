#include "pipeline/slack.hpp"

#include <algorithm>

namespace kareus::pipeline {

Slack::Slack(const Dag& dag, std::vector<double> durations)
    : dag_(&dag),
      successors_(dag.nodes.size()),
      durations_(std::move(durations)),
      before_(dag.nodes.size(), 0.0),
      after_(dag.nodes.size(), 0.0),
      waiting_(dag.nodes.size(), 0) {
  const auto count = static_cast<std::uint32_t>(dag.nodes.size());
  for (std::uint32_t node = 0; node < count; ++node) {
    for (const std::uint32_t predecessor : dag.predecessors[node]) successors_[predecessor].push_back(node);
    before_[node] = longest_before(node);
  }
  for (std::uint32_t node = count; node-- > 0;) after_[node] = longest_after(node);
}

double Slack::longest_before(std::uint32_t node) const {
  double longest = 0;
  for (const std::uint32_t p : dag_->predecessors[node]) longest = std::max(longest, before_[p] + durations_[p]);
  return longest;
}

double Slack::longest_after(std::uint32_t node) const {
  double longest = 0;
  for (const std::uint32_t s : successors_[node]) longest = std::max(longest, after_[s] + durations_[s]);
  return longest;
}

double Slack::makespan() const {
  double longest = 0;
  for (std::size_t node = 0; node < durations_.size(); ++node) {
    longest = std::max(longest, before_[node] + durations_[node]);
  }
  return longest;
}

// Changes travel in topological order, each node recomputed once, and stop where nothing changes.
void Slack::set_duration(std::uint32_t node, double duration, std::vector<std::uint32_t>* changed) {
  durations_[node] = duration;
  std::size_t open = 0;
  const auto mark = [&](const std::vector<std::uint32_t>& nodes) {
    for (const std::uint32_t other : nodes) {
      open += waiting_[other] == 0 ? 1 : 0;
      waiting_[other] = 1;
    }
  };
  const auto update = [&](std::uint32_t other, double& stored, double value) {
    waiting_[other] = 0;
    --open;
    if (stored == value) return false;
    stored = value;
    if (changed != nullptr) changed->push_back(other);
    return true;
  };
  mark(successors_[node]);
  for (std::uint32_t other = node + 1; open > 0; ++other) {
    if (waiting_[other] != 0 && update(other, before_[other], longest_before(other))) mark(successors_[other]);
  }
  mark(dag_->predecessors[node]);
  for (std::uint32_t other = node; open > 0;) {
    --other;
    if (waiting_[other] != 0 && update(other, after_[other], longest_after(other))) mark(dag_->predecessors[other]);
  }
}

}  // namespace kareus::pipeline
