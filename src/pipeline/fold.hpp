#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "pipeline/event_graph.hpp"
#include "pipeline/residual_graph.hpp"

namespace kareus::pipeline {

/// A 1F1B pipeline of which every stage has the same costs for all microbatches, as a graph of events.
struct PipelineEvents {
  static constexpr std::uint32_t kMerged = std::numeric_limits<std::uint32_t>::max();
  /// Fixed arcs of a node; kMerged where both ends are one vertex or there is no such arc.
  struct NodeArcs {
    std::uint32_t chain = kMerged;  ///< from the node before on its stage
    std::uint32_t cross = kMerged;  ///< from the neighbouring stage
    std::uint32_t tail = kMerged;   ///< to the end of the iteration
  };
  Dag dag;
  EventGraph graph;
  std::vector<std::uint32_t> function_of;  ///< per node: forwards of the stages, then backwards, then folds
  std::vector<NodeArcs> arcs_of;           ///< per node
};

/// The events of build_dag(one_forward_one_backward(stages, ...)).
PipelineEvents pipeline_events(Dag dag, const Grid& grid);

/// A long pipeline without most of its microbatches: on every stage one node, the fold, takes the place of `folded`
/// pairs of a forward and a backward in the middle. What these would have to wait for on other stages is left out, so
/// the fold costs what its pairs cost when all of them take the same time, and the curve of the folded pipeline bounds
/// the long one's from below.
struct FoldedPipeline {
  PipelineEvents events;
  HullSet hulls;                  ///< of the long pipeline's functions, then of the folds
  std::vector<std::size_t> cuts;  ///< per stage, the position of the fold
  int folded = 0;                 ///< pairs
  FixedTimes fixed;

  std::uint32_t fold_of(std::size_t stage) const { return events.dag.node_at[stage][cuts[stage]]; }
};

/// Keeps the warm-up of 1F1B and at least `kept_pairs` pairs of every stage before the fold and after it. `kept`: the
/// microbatches that remain then, fewer than the pipeline has.
int kept_microbatches(int stages, int kept_pairs);
Result<FoldedPipeline> fold(int stages, int microbatches, int kept_pairs, const FixedTimes& fixed,
                            const HullSet& hulls);

/// The solution of the folded pipeline on the long one, in a steady state: of all times that the solution's flow proves
/// optimal, ones in which every stage takes the same time for each pair that its fold stands for and nothing has to
/// wait for another stage's fold. Nothing when there are none: then more pairs must be kept, or the flow differs from
/// pair to pair. Check it all the same.
std::optional<FlowSnapshot> unfold(const FoldedPipeline& folded, const FlowSnapshot& solution,
                                   const PipelineEvents& longer);

/// A start for SlopeFlow on the long pipeline, or on one of which less is folded, from a solution of the folded one:
/// pairs of a fold share its time evenly. `target_fold`: nothing for the long pipeline itself.
FlowSnapshot carry_over(const FoldedPipeline& folded, const FlowSnapshot& solution, const PipelineEvents& target,
                        const FoldedPipeline* target_fold);

}  // namespace kareus::pipeline
