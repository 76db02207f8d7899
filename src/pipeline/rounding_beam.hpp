#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kareus/curve.hpp"
#include "pipeline/rounding_state.hpp"

namespace kareus::pipeline {

/// Chooses options along the DAG, many partial plans side by side, by what the curve's prices say they will have cost.
///
/// Let x be the flow that proves the curve optimal at a time T0, of value L. For any plan of time T and energy E
///
///     E + L T  =  const  +  sum of reduced costs of its options  +  sum over arcs of flow x slack,
///
/// both sums of terms that are not negative, and const is the line that touches the curve at T0: a plan's distance to
/// the bound is made of options that the curve would not take and of waits where it would not wait. Every partial plan
/// has its part of the sum already, so the best partial plans are those to go on with. Of partial plans whose
/// unfinished nodes end at about the same times only the best is kept: what follows is the same for all of them.
class Beam {
 public:
  Beam(const RoundingProblem& problem, std::size_t width);

  /// The cheapest plan found that ends within `limit`, as positions on the fronts; empty when none was. Without clock
  /// switches.
  std::vector<std::uint32_t> search(const CurvePoint& point, double limit);

 private:
  struct Choice {
    std::uint32_t position;
    double time;
    double energy;
  };
  struct Label {
    double score;  ///< energy + flow x time of what is not finished
    double energy;
    std::uint64_t key;  ///< of the ends of unfinished nodes, in steps of the resolution
  };
  struct Candidate {
    double score;
    double end;
    double energy;
    std::uint64_t key;
    std::uint32_t label;
    std::uint32_t position;
  };
  struct Step {
    std::uint32_t label;
    std::uint32_t position;
  };

  void plan_order(const CurvePoint& point);
  void choose_options(const CurvePoint& point);
  void expand(std::uint32_t node, const CurvePoint& point, double limit);
  void keep_best(std::uint32_t node);
  std::uint64_t key_of(std::uint32_t node, double end) const;

  const RoundingProblem* problem_;
  std::size_t width_;
  std::vector<double> fastest_after_;      ///< per node: longest path from its end with everything at its fastest
  std::vector<std::uint32_t> edge_begin_;  ///< per node, where its predecessors' prices begin
  std::vector<std::uint32_t> successors_;  ///< per node, how many
  std::vector<std::uint32_t> order_, slot_, left_;
  std::vector<std::vector<Choice>> options_;
  std::vector<double> nominal_end_;
  double nominal_ = 0;
  double per_lane_ = 0;
  std::vector<std::uint32_t> taken_;
  double resolution_ = 0;
  std::size_t slots_ = 0;
  std::vector<Label> labels_, next_labels_;
  std::vector<double> ends_, next_ends_;  ///< per label and slot; the last slot is the end of the iteration so far
  std::vector<Candidate> candidates_;
  std::vector<Step> steps_;  ///< per step and label
  std::vector<std::uint32_t> step_begin_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t round_ = 0;
};

}  // namespace kareus::pipeline
