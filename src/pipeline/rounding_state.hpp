#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kareus/pipeline.hpp"
#include "pipeline/rounding_front.hpp"
#include "pipeline/slack.hpp"

namespace kareus::pipeline {

/// What does not change while a problem is rounded.
struct RoundingProblem {
  const Dag& dag;
  const std::vector<std::uint32_t>& function_of;
  std::vector<Front> fronts;
  double switch_latency = 0;  ///< 0 when clocks are not told apart

  const Front& front(std::uint32_t node) const { return fronts[function_of[node]]; }
};

/// An option for every node, as positions on the fronts, and the times that follow.
class RoundingState {
 public:
  RoundingState(const RoundingProblem& problem, std::vector<std::uint32_t> positions);

  const RoundingProblem& problem() const { return *problem_; }
  const std::vector<std::uint32_t>& positions() const { return positions_; }
  std::uint32_t position(std::uint32_t node) const { return positions_[node]; }
  const Front& front(std::uint32_t node) const { return problem_->front(node); }
  Clock clock(std::uint32_t node) const { return front(node).clock[positions_[node]]; }
  const Slack& slack() const { return slack_; }
  Slack& slack() { return slack_; }  ///< for sweeps
  double makespan() const { return slack_.makespan(); }
  double energy() const;
  double energy(std::uint32_t node) const { return front(node).energy[positions_[node]]; }

  /// Adds every node whose window changed to `changed`, when given.
  void set(std::uint32_t node, std::uint32_t position, std::vector<std::uint32_t>* changed = nullptr);

  /// How long a node may take for the iteration to end within `limit`, everything else unchanged, according to whether
  /// its clock is that of the nodes before and after it on its stage.
  class Window {
   public:
    double at(Clock clock) const { return length_[clock == before_ ? 1 : 0][clock == after_ ? 1 : 0]; }
    double longest() const { return length_[1][1]; }

   private:
    friend class RoundingState;
    Clock before_, after_;
    double length_[2][2] = {};
  };
  Window window(std::uint32_t node, double limit) const;
  /// Whether the iteration ends within `limit` with that option of the node and this window.
  bool fits(std::uint32_t node, std::uint32_t position, const Window& window, double limit);

 private:
  void update_switches(std::uint32_t node, std::vector<std::uint32_t>* changed);

  const RoundingProblem* problem_;
  std::vector<std::uint32_t> positions_;
  Slack slack_;
};

}  // namespace kareus::pipeline
