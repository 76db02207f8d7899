#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

/// Longest paths to and from every node of a DAG, kept up to date while durations change one at a time. A stage may
/// also need time between two of its nodes, or after its last one, to switch its clock; that changes too.
class Slack {
 public:
  Slack(const Dag& dag, std::vector<double> durations);

  double duration(std::uint32_t node) const { return durations_[node]; }
  /// The node before on the same stage, and after it; kNoNode at the ends and where the DAG does not say.
  std::uint32_t stage_before(std::uint32_t node) const { return stage_before_[node]; }
  std::uint32_t stage_after(std::uint32_t node) const { return stage_after_[node]; }
  /// First node of the stage of a stage's last node; kNoNode for any other node.
  std::uint32_t stage_first(std::uint32_t node) const { return stage_first_[node]; }
  /// Last node of the stage of a stage's first node; kNoNode for any other node.
  std::uint32_t stage_last(std::uint32_t node) const { return stage_last_[node]; }

  /// How long the node may take, everything else unchanged, for the DAG to be done within `limit`.
  double window(std::uint32_t node, double limit) const { return limit - before_[node] - after_[node]; }
  /// Earliest begin of the node, and the longest path from its end to the end of the iteration.
  double before(std::uint32_t node) const { return before_[node]; }
  double after(std::uint32_t node) const { return after_[node]; }
  double makespan() const;
  /// The longest path to the begin of the node (or from its end), split: along its stage without the switch, and all
  /// others. -infinity where there is none.
  struct Sides {
    double stage;
    double others;
  };
  Sides sides_before(std::uint32_t node) const;
  Sides sides_after(std::uint32_t node) const;  ///< `others` includes the fixed work at the end, not a switch
  double tail(std::uint32_t node) const { return tail_[node]; }
  /// Between which nodes, and what lies between them at least; without switches.
  struct Edge {
    std::uint32_t node;
    double lag;
  };
  std::span<const Edge> predecessors(std::uint32_t node) const {
    return std::span(predecessors_)
        .subspan(predecessor_begin_[node], predecessor_begin_[node + 1] - predecessor_begin_[node]);
  }
  std::span<const Edge> successors(std::uint32_t node) const {
    return std::span(successors_).subspan(successor_begin_[node], successor_begin_[node + 1] - successor_begin_[node]);
  }
  /// Until finish_sweep() changes are only noted, and paths are known before and after the nodes last asked for: made
  /// for changes that follow each other along the DAG.
  void start_sweep();
  /// Makes before() true of all nodes before `low`, after() of all nodes after `high`.
  void ask(std::uint32_t low, std::uint32_t high);
  void finish_sweep();

  double switch_before(std::uint32_t node) const { return switch_before_[node]; }
  double switch_after(std::uint32_t node) const { return switch_after_[node]; }

  /// Adds every node whose window changed to `changed`, when given.
  void set_duration(std::uint32_t node, double duration, std::vector<std::uint32_t>* changed = nullptr);
  /// Time that the stage needs to switch its clock between the node before and this one.
  void set_switch_before(std::uint32_t node, double latency, std::vector<std::uint32_t>* changed = nullptr);
  /// Time that the stage needs after its last node to switch to the clock of its first, for the next iteration. It runs
  /// beside the fixed work after the node.
  void set_switch_after(std::uint32_t node, double latency, std::vector<std::uint32_t>* changed = nullptr);

 private:
  void add_stage_edges(const Dag& dag);
  double longest_before(std::uint32_t node) const;
  double longest_after(std::uint32_t node) const;
  void update_forward(std::uint32_t first, std::vector<std::uint32_t>* changed);
  void update_backward(std::uint32_t last, std::vector<std::uint32_t>* changed);
  void mark(std::uint32_t node);
  void note(std::uint32_t before_end, std::uint32_t after_begin);

  /// Edges of node i: [begin[i], begin[i + 1]).
  std::vector<std::uint32_t> predecessor_begin_, successor_begin_;
  std::vector<Edge> predecessors_, successors_;
  std::vector<std::uint32_t> stage_before_, stage_after_, stage_first_, stage_last_;
  std::vector<double> tail_;
  std::vector<double> switch_before_;  ///< per node: added to the edge from the stage's node before
  std::vector<double> switch_after_;
  std::vector<double> durations_;
  std::vector<double> before_;  ///< longest path ending where the node begins
  std::vector<double> after_;   ///< longest path beginning where the node ends, to the end of the iteration
  std::vector<char> waiting_;   ///< scratch: nodes to be recomputed
  std::size_t open_ = 0;        ///< how many of them
  bool sweeping_ = false;
  std::uint32_t before_end_ = 0;   ///< in a sweep: before_ is true of the nodes before this one
  std::uint32_t after_begin_ = 0;  ///< in a sweep: after_ is true of this node and those after it
};

}  // namespace kareus::pipeline
