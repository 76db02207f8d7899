#include "pipeline/slack.hpp"

#include <algorithm>
#include <limits>

namespace kareus::pipeline {

Slack::Slack(const Dag& dag, std::vector<double> durations)
    : predecessor_begin_(dag.size() + 1, 0),
      successor_begin_(dag.size() + 1, 0),
      stage_before_(dag.size(), kNoNode),
      stage_after_(dag.size(), kNoNode),
      stage_first_(dag.size(), kNoNode),
      stage_last_(dag.size(), kNoNode),
      tail_(dag.size(), 0.0),
      switch_before_(dag.size(), 0.0),
      switch_after_(dag.size(), 0.0),
      durations_(std::move(durations)),
      before_(dag.size(), 0.0),
      after_(dag.size(), 0.0),
      waiting_(dag.size(), 0) {
  KAREUS_CHECK(durations_.size() == dag.size());
  add_stage_edges(dag);
  const auto count = static_cast<std::uint32_t>(dag.size());
  for (std::uint32_t node = 0; node < dag.tail.size(); ++node) tail_[node] = dag.tail[node].si();

  std::vector<std::vector<Edge>> from(count);
  for (std::uint32_t node = 0; node < count; ++node) {
    bool on_stage_edge = stage_before_[node] == kNoNode;
    for (const Dag::Predecessor& predecessor : dag.predecessors[node]) {
      KAREUS_CHECK(predecessor.node < node);
      predecessors_.push_back({predecessor.node, predecessor.lag.si()});
      on_stage_edge = on_stage_edge || predecessor.node == stage_before_[node];
    }
    // A stage runs one node after the other, whether the DAG says it or a longer path implies it.
    if (!on_stage_edge) predecessors_.push_back({stage_before_[node], 0.0});
    predecessor_begin_[node + 1] = static_cast<std::uint32_t>(predecessors_.size());
    for (std::uint32_t i = predecessor_begin_[node]; i < predecessor_begin_[node + 1]; ++i) {
      from[predecessors_[i].node].push_back({node, predecessors_[i].lag});
    }
    before_[node] = longest_before(node);
  }
  for (std::uint32_t node = 0; node < count; ++node) {
    successors_.insert(successors_.end(), from[node].begin(), from[node].end());
    successor_begin_[node + 1] = static_cast<std::uint32_t>(successors_.size());
  }
  for (std::uint32_t node = count; node-- > 0;) after_[node] = longest_after(node);
}

void Slack::add_stage_edges(const Dag& dag) {
  for (const auto& nodes : dag.node_at) {
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      KAREUS_CHECK(nodes[i - 1] < nodes[i]);
      stage_before_[nodes[i]] = nodes[i - 1];
      stage_after_[nodes[i - 1]] = nodes[i];
    }
    if (nodes.empty()) continue;
    stage_first_[nodes.back()] = nodes.front();
    stage_last_[nodes.front()] = nodes.back();
  }
}

Slack::Sides Slack::sides_before(std::uint32_t node) const {
  Sides sides{.stage = -std::numeric_limits<double>::infinity(), .others = 0};
  for (const Edge& edge : predecessors(node)) {
    double& side = edge.node == stage_before_[node] ? sides.stage : sides.others;
    side = std::max(side, before_[edge.node] + durations_[edge.node] + edge.lag);
  }
  return sides;
}

Slack::Sides Slack::sides_after(std::uint32_t node) const {
  Sides sides{.stage = -std::numeric_limits<double>::infinity(), .others = tail_[node]};
  for (const Edge& edge : successors(node)) {
    double& side = edge.node == stage_after_[node] ? sides.stage : sides.others;
    side = std::max(side, after_[edge.node] + durations_[edge.node] + edge.lag);
  }
  return sides;
}

double Slack::longest_before(std::uint32_t node) const {
  double longest = 0;
  for (const Edge& edge : predecessors(node)) {
    const double extra = edge.node == stage_before_[node] ? switch_before_[node] : 0.0;
    longest = std::max(longest, before_[edge.node] + durations_[edge.node] + edge.lag + extra);
  }
  return longest;
}

double Slack::longest_after(std::uint32_t node) const {
  double longest = std::max(tail_[node], switch_after_[node]);
  for (const Edge& edge : successors(node)) {
    const double extra = edge.node == stage_after_[node] ? switch_before_[edge.node] : 0.0;
    longest = std::max(longest, after_[edge.node] + durations_[edge.node] + edge.lag + extra);
  }
  return longest;
}

double Slack::makespan() const {
  double longest = 0;
  for (std::size_t node = 0; node < durations_.size(); ++node) {
    longest = std::max(longest, before_[node] + durations_[node] + std::max(tail_[node], switch_after_[node]));
  }
  return longest;
}

void Slack::mark(std::uint32_t node) {
  open_ += waiting_[node] == 0 ? 1 : 0;
  waiting_[node] = 1;
}

// Changes travel in topological order, each node recomputed once, and stop where nothing changes.
void Slack::update_forward(std::uint32_t first, std::vector<std::uint32_t>* changed) {
  for (std::uint32_t node = first; open_ > 0; ++node) {
    if (waiting_[node] == 0) continue;
    waiting_[node] = 0;
    --open_;
    const double value = longest_before(node);
    if (value == before_[node]) continue;
    before_[node] = value;
    if (changed != nullptr) changed->push_back(node);
    for (const Edge& edge : successors(node)) mark(edge.node);
  }
}

void Slack::update_backward(std::uint32_t last, std::vector<std::uint32_t>* changed) {
  for (std::uint32_t node = last + 1; open_ > 0;) {
    --node;
    if (waiting_[node] == 0) continue;
    waiting_[node] = 0;
    --open_;
    const double value = longest_after(node);
    if (value == after_[node]) continue;
    after_[node] = value;
    if (changed != nullptr) changed->push_back(node);
    for (const Edge& edge : predecessors(node)) mark(edge.node);
  }
}

void Slack::start_sweep() {
  sweeping_ = true;
  before_end_ = static_cast<std::uint32_t>(durations_.size());
  after_begin_ = 0;
}

void Slack::note(std::uint32_t before_end, std::uint32_t after_begin) {
  before_end_ = std::min(before_end_, before_end);
  after_begin_ = std::max(after_begin_, after_begin);
}

void Slack::ask(std::uint32_t low, std::uint32_t high) {
  for (; before_end_ < low; ++before_end_) before_[before_end_] = longest_before(before_end_);
  for (; after_begin_ > high + 1; --after_begin_) after_[after_begin_ - 1] = longest_after(after_begin_ - 1);
}

void Slack::finish_sweep() {
  const auto count = static_cast<std::uint32_t>(durations_.size());
  for (; before_end_ < count; ++before_end_) before_[before_end_] = longest_before(before_end_);
  for (; after_begin_ > 0; --after_begin_) after_[after_begin_ - 1] = longest_after(after_begin_ - 1);
  sweeping_ = false;
}

void Slack::set_duration(std::uint32_t node, double duration, std::vector<std::uint32_t>* changed) {
  if (durations_[node] == duration) return;
  durations_[node] = duration;
  if (sweeping_) return note(node + 1, node);
  for (const Edge& edge : successors(node)) mark(edge.node);
  update_forward(node + 1, changed);
  for (const Edge& edge : predecessors(node)) mark(edge.node);
  update_backward(node, changed);
}

void Slack::set_switch_before(std::uint32_t node, double latency, std::vector<std::uint32_t>* changed) {
  if (switch_before_[node] == latency) return;
  switch_before_[node] = latency;
  if (sweeping_) return note(node, node);
  mark(node);
  update_forward(node, changed);
  mark(stage_before_[node]);
  update_backward(stage_before_[node], changed);
}

void Slack::set_switch_after(std::uint32_t node, double latency, std::vector<std::uint32_t>* changed) {
  if (switch_after_[node] == latency) return;
  switch_after_[node] = latency;
  if (sweeping_) return note(before_end_, node + 1);
  mark(node);
  update_backward(node, changed);
}

}  // namespace kareus::pipeline
