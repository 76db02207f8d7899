#include <algorithm>
#include <deque>
#include <numeric>

#include "pipeline/fold.hpp"

namespace kareus::pipeline {
namespace {

/// Durations for which a flow is right.
struct Interval {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

Interval durations_for(const Hull& hull, std::int64_t flow) {
  const auto after = std::upper_bound(hull.slopes.begin(), hull.slopes.end(), flow);
  const auto k = static_cast<std::size_t>(after - hull.slopes.begin()) - 1;
  return {.least = hull.ticks[k], .most = k > 0 && hull.slopes[k] == flow ? hull.ticks[k - 1] : hull.ticks[k]};
}

/// Times with bounds on their differences, met by raising times from a first guess (Bellman and Ford).
class Differences {
 public:
  /// time[to] - time[from] >= least
  void require(std::uint32_t from, std::uint32_t to, std::int64_t least) { bounds_.push_back({from, to, least}); }

  /// False when the bounds contradict each other, or seem to: it gives up after some rounds.
  bool meet(std::vector<std::int64_t>& times) {
    constexpr std::size_t kRounds = 100;
    std::vector<std::uint32_t> first(times.size() + 1, 0);
    for (const Bound& bound : bounds_) ++first[bound.from + 1];
    for (std::size_t vertex = 0; vertex < times.size(); ++vertex) first[vertex + 1] += first[vertex];
    std::vector<Bound> by_origin(bounds_.size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const Bound& bound : bounds_) by_origin[next[bound.from]++] = bound;

    std::deque<std::uint32_t> queue(times.size());
    std::iota(queue.begin(), queue.end(), 0U);
    std::vector<bool> is_queued(times.size(), true);
    for (std::size_t left = kRounds * times.size(); !queue.empty(); --left) {
      if (left == 0) return false;
      const std::uint32_t from = queue.front();
      queue.pop_front();
      is_queued[from] = false;
      for (std::uint32_t i = first[from]; i < first[from + 1]; ++i) {
        const auto [unused, to, least] = by_origin[i];
        if (times[to] - times[from] >= least) continue;
        times[to] = times[from] + least;
        if (!is_queued[to]) queue.push_back(to);
        is_queued[to] = true;
      }
    }
    return true;
  }

 private:
  struct Bound {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t least = 0;
  };
  std::vector<Bound> bounds_;
};

/// The steady state of a folded pipeline: its events, and those of one pair per stage that stands for all pairs of the
/// fold, each a period after the one before.
class SteadyState {
 public:
  static constexpr std::int64_t kLate = std::numeric_limits<std::int64_t>::max();

  SteadyState(const FoldedPipeline& folded, const FlowSnapshot& solution)
      : folded_(folded), graph_(folded.events.graph), flows_(solution.flows) {
    times_ = solution.times;
  }

  bool settle() {
    find_periods();
    Differences differences;
    for (std::uint32_t arc = 0; arc < graph_.arcs.size(); ++arc) bound_arc(differences, arc);
    for (std::size_t stage = 0; stage < folded_.cuts.size(); ++stage) bound_pair(differences, stage);
    for (std::size_t stage = 0; stage + 1 < folded_.cuts.size(); ++stage) bound_crossings(differences, stage);
    return differences.meet(times_);
  }

  /// A begin or an end of the long pipeline: an event of the folded one, and how long after it.
  struct Event {
    std::uint32_t vertex = 0;
    std::int64_t delay = 0;  ///< ticks
  };
  Event event(std::size_t stage, std::size_t position, bool is_end) const {
    const std::size_t cut = folded_.cuts[stage];
    const std::size_t inserted = 2 * static_cast<std::size_t>(folded_.folded);
    if (position >= cut && position < cut + inserted) {
      const std::size_t in_pair = 2 * ((position - cut) % 2) + (is_end ? 1 : 0);
      return {pair_vertex(stage, in_pair), static_cast<std::int64_t>((position - cut) / 2) * periods_[stage]};
    }
    const std::uint32_t node = folded_.events.dag.node_at[stage][position < cut ? position : position - inserted + 1];
    return {is_end ? graph_.arcs[node].head : graph_.arcs[node].tail, 0};
  }
  std::int64_t time(const Event& event) const { return times_[event.vertex] + event.delay; }

 private:
  std::uint32_t pair_vertex(std::size_t stage, std::size_t in_pair) const {
    return graph_.vertices + static_cast<std::uint32_t>(4 * stage + in_pair);
  }
  std::int64_t flow_of_fold(std::size_t stage) const { return flows_[folded_.fold_of(stage)]; }
  Interval forward(std::size_t stage) const {
    return durations_for(folded_.hulls.functions[stage], flow_of_fold(stage));
  }
  Interval backward(std::size_t stage) const {
    return durations_for(folded_.hulls.functions[folded_.cuts.size() + stage], flow_of_fold(stage));
  }

  /// A time for the pairs of every stage that is right for its flow: the same for all stages if there is one, and near
  /// to what the folds take where the flows leave it open. In a pipeline that is not long enough for its slower stages
  /// to matter, these differ.
  void find_periods() {
    std::vector<Interval> right;
    std::int64_t wanted = 0;
    std::int64_t most = kLate;
    for (std::size_t stage = 0; stage < folded_.cuts.size(); ++stage) {
      const bool has_flow = flow_of_fold(stage) > 0;  // else it may wait
      right.push_back({forward(stage).least + backward(stage).least,
                       has_flow ? forward(stage).most + backward(stage).most : kLate});
      wanted = std::max(wanted, right.back().least);
      most = std::min(most, right.back().most);
      const auto [tail, head] = graph_.arcs[folded_.fold_of(stage)];
      if (has_flow) wanted = std::max(wanted, (times_[head] - times_[tail]) / folded_.folded);
    }
    wanted = std::min(wanted, most);
    for (const Interval& interval : right) periods_.push_back(std::clamp(wanted, interval.least, interval.most));
  }

  /// What flow there is must find its arc tight.
  void bound(Differences& differences, std::uint32_t tail, std::uint32_t head, Interval length,
             std::int64_t flow) const {
    differences.require(tail, head, length.least);
    if (flow > 0) differences.require(head, tail, -length.most);
  }

  void bound_arc(Differences& differences, std::uint32_t arc) const {
    const auto [tail, head] = graph_.arcs[arc];
    if (arc >= graph_.node_count) {
      const std::int64_t length = graph_.lengths[arc - graph_.node_count];
      bound(differences, tail, head, {length, length}, flows_[arc]);
      return;
    }
    const std::uint32_t function = folded_.events.function_of[arc];
    if (function >= 2 * folded_.cuts.size()) return;  // the pair stands for it
    bound(differences, tail, head, durations_for(folded_.hulls.functions[function], flows_[arc]), flows_[arc]);
  }

  /// The pair follows what is before the fold and itself, and is followed by what is behind the fold.
  void bound_pair(Differences& differences, std::size_t stage) {
    const std::int64_t flow = flow_of_fold(stage);
    const auto [before, behind] = graph_.arcs[folded_.fold_of(stage)];
    const std::uint32_t begin = pair_vertex(stage, 0);
    const std::uint32_t end = pair_vertex(stage, 3);
    bound(differences, before, begin, {0, 0}, flow);
    bound(differences, begin, pair_vertex(stage, 1), forward(stage), flow);
    bound(differences, pair_vertex(stage, 1), pair_vertex(stage, 2), {0, 0}, flow);
    bound(differences, pair_vertex(stage, 2), end, backward(stage), flow);
    bound(differences, end, begin, {-periods_[stage], -periods_[stage]}, flow);
    const std::int64_t last = (folded_.folded - 1) * periods_[stage];
    bound(differences, end, behind, {last, last}, flow);
    times_.insert(times_.end(), {times_[before], times_[before], times_[before], times_[before]});
  }

  /// What operations within the folds of two neighbouring stages, and around them, wait for. Within both folds the time
  /// between two operations changes evenly from pair to pair, so the crossings at either end stand for all.
  void bound_crossings(Differences& differences, std::size_t stage) const {
    const std::int64_t lag = folded_.hulls.grid.ticks(folded_.fixed.transfer);
    const auto cross = [&](const Event& from, const Event& to) {
      differences.require(from.vertex, to.vertex, lag + from.delay - to.delay);
    };
    // Where the stage alternates, its forward at a position goes on at the next position of the next stage, and its
    // backward waits for that at the position before.
    const std::size_t inserted = 2 * static_cast<std::size_t>(folded_.folded);
    const std::size_t cut = folded_.cuts[stage];
    for (const std::size_t around : {cut, cut + inserted}) {
      for (std::size_t position = around - 4; position < around + 4; position += 2) {
        cross(event(stage, position, true), event(stage + 1, position + 1, false));
        cross(event(stage + 1, position, true), event(stage, position + 1, false));
      }
    }
  }

  const FoldedPipeline& folded_;
  const EventGraph& graph_;
  const std::vector<std::int64_t>& flows_;
  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> periods_;  ///< per stage
};

/// Which node of the folded pipeline an operation of the long one is, or is like.
struct Like {
  std::uint32_t node = 0;
  bool is_folded = false;
};

Like like_of(const FoldedPipeline& folded, std::size_t stage, std::size_t position) {
  const std::size_t cut = folded.cuts[stage];
  const std::size_t inserted = 2 * static_cast<std::size_t>(folded.folded);
  const auto& chain = folded.events.dag.node_at[stage];
  if (position < cut) return {chain[position], false};
  if (position < cut + inserted) return {chain[cut], true};
  return {chain[position - inserted + 1], false};
}

/// Copies the flows of a node's like, and of the arcs that enter it. Within a fold all flow keeps to its stage.
void copy_flows(const FoldedPipeline& folded, const FlowSnapshot& solution, const Like& like,
                const PipelineEvents& target, std::uint32_t node, std::vector<std::int64_t>& flows) {
  const auto flow = [&](std::uint32_t arc) { return arc == PipelineEvents::kMerged ? 0 : solution.flows[arc]; };
  const PipelineEvents::NodeArcs& known = folded.events.arcs_of[like.node];
  const std::int64_t through = solution.flows[like.node];
  const std::int64_t crossing = like.is_folded ? 0 : flow(known.cross);
  const bool is_known = !like.is_folded && known.chain != PipelineEvents::kMerged;
  const auto [chain, cross, tail] = target.arcs_of[node];
  flows[node] = through;
  if (chain != PipelineEvents::kMerged)
    flows[chain] = is_known ? flow(known.chain) : std::max(through - crossing, std::int64_t{0});
  if (cross != PipelineEvents::kMerged) flows[cross] = crossing;
  if (tail != PipelineEvents::kMerged) flows[tail] = flow(known.tail);
}

std::int64_t window_of(const PipelineEvents& events, const FlowSnapshot& solution, std::uint32_t node) {
  const auto [tail, head] = events.graph.arcs[node];
  return solution.times[head] - solution.times[tail];
}

}  // namespace

std::optional<FlowSnapshot> unfold(const FoldedPipeline& folded, const FlowSnapshot& solution,
                                   const PipelineEvents& longer) {
  SteadyState steady(folded, solution);
  if (!steady.settle()) return std::nullopt;
  const EventGraph& graph = folded.events.graph;
  const std::int64_t begin = steady.time({graph.source, 0});
  FlowSnapshot result{.times = std::vector<std::int64_t>(longer.graph.vertices, 0),
                      .flows = std::vector<std::int64_t>(longer.graph.arcs.size(), 0)};
  // Events that are one vertex may lie apart where nothing flows: the later one counts.
  const auto set_time = [&](std::uint32_t vertex, std::int64_t time) {
    result.times[vertex] = std::max(result.times[vertex], time - begin);
  };
  set_time(longer.graph.sink, steady.time({graph.sink, 0}));
  for (std::size_t stage = 0; stage < folded.cuts.size(); ++stage) {
    for (std::size_t position = 0; position < longer.dag.node_at[stage].size(); ++position) {
      const std::uint32_t node = longer.dag.node_at[stage][position];
      set_time(longer.graph.arcs[node].tail, steady.time(steady.event(stage, position, false)));
      set_time(longer.graph.arcs[node].head, steady.time(steady.event(stage, position, true)));
      copy_flows(folded, solution, like_of(folded, stage, position), longer, node, result.flows);
    }
  }
  return result;
}

FlowSnapshot carry_over(const FoldedPipeline& folded, const FlowSnapshot& solution, const PipelineEvents& target,
                        const FoldedPipeline* target_fold) {
  const std::size_t stages = folded.cuts.size();
  FlowSnapshot result{.times = {}, .flows = std::vector<std::int64_t>(target.graph.arcs.size(), 0)};
  std::vector<std::int64_t> durations(target.dag.size());
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const std::int64_t pair = window_of(folded.events, solution, folded.fold_of(stage)) / folded.folded;
    for (std::size_t at = 0; at < target.dag.node_at[stage].size(); ++at) {
      const std::uint32_t node = target.dag.node_at[stage][at];
      const bool is_behind = target_fold != nullptr && at > target_fold->cuts[stage];
      const bool is_fold = target_fold != nullptr && at == target_fold->cuts[stage];
      const std::size_t position = is_behind ? at + 2 * static_cast<std::size_t>(target_fold->folded) - 1 : at;
      const Like like = like_of(folded, stage, position);
      const Hull& hull = (target_fold == nullptr ? folded : *target_fold).hulls.functions[target.function_of[node]];
      std::int64_t wanted = window_of(folded.events, solution, like.node);
      if (is_fold) {
        wanted = pair * target_fold->folded;
      } else if (like.is_folded) {
        const std::int64_t forward = durations_for(folded.hulls.functions[stage], solution.flows[like.node]).least;
        wanted = target.function_of[node] < stages ? forward : pair - forward;
      }
      durations[node] = std::clamp(wanted, hull.fastest(), hull.slowest());
      copy_flows(folded, solution, like, target, node, result.flows);
    }
  }
  result.times = earliest_events(target.graph, durations);
  return result;
}

}  // namespace kareus::pipeline
