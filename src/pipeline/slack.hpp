#pragma once

#include <cstdint>
#include <vector>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

/// Longest paths to and from every node of a DAG, kept up to date while durations change one at a time.
class Slack {
 public:
  Slack(const Dag& dag, std::vector<double> durations);

  double duration(std::uint32_t node) const { return durations_[node]; }
  /// How long the node may take, everything else unchanged, for the DAG to be done within `limit`.
  double window(std::uint32_t node, double limit) const { return limit - before_[node] - after_[node]; }
  double makespan() const;
  /// Adds every node whose window changed to `changed`, when given.
  void set_duration(std::uint32_t node, double duration, std::vector<std::uint32_t>* changed = nullptr);

 private:
  double longest_before(std::uint32_t node) const;
  double longest_after(std::uint32_t node) const;

  const Dag* dag_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<double> durations_;
  std::vector<double> before_;  ///< longest path ending where the node begins
  std::vector<double> after_;   ///< longest path beginning where the node ends
  std::vector<char> waiting_;   ///< scratch: nodes to be recomputed
};

}  // namespace kareus::pipeline
