#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/quantity.hpp"
#include "kareus/result.hpp"

namespace kareus::pipeline {

enum class OperationKind {
  forward,
  backward,         ///< whole backward
  input_gradient,   ///< first half of a split backward: what the previous stage waits for (zero bubble)
  weight_gradient,  ///< second half: nobody waits for it
  recompute,        ///< forward computed again before its backward (early recomputation)
};
std::string to_string(OperationKind kind);

/// One instruction of a stage: an operation on one microbatch by one of the stage's model chunks.
struct Operation {
  OperationKind kind = OperationKind::forward;
  int microbatch = 0;
  int chunk = 0;  ///< of the stage's chunks, in the order in which a microbatch passes them (interleaved schedules)

  friend auto operator<=>(const Operation&, const Operation&) = default;
};

/// As files name them: F, B, I, W or R; and with the microbatch and, when not 0, the chunk: `F3`, `B3.1`.
char letter(OperationKind kind);
std::string short_name(const Operation& operation);

/// Execution order of every stage.
using Order = std::vector<std::vector<Operation>>;

/// One forward, one backward: warm-up forwards, then pairs, then the remaining backwards.
Order one_forward_one_backward(int stages, int microbatches);
/// All forwards, then all backwards.
Order gpipe(int stages, int microbatches);
/// Interleaved 1F1B (Megatron-LM): `chunks` model chunks per stage; plain 1F1B with one. Errors: bad_input when the
/// stages do not divide the microbatches.
Result<Order> interleaved(int stages, int microbatches, int chunks);
/// Zero-bubble schedule H1 (Qi et al. 2023): the backward split in two, weight gradients fill the bubbles; no stage
/// keeps more microbatches in flight than 1F1B on its first stage.
Order zero_bubble_h1(int stages, int microbatches);
/// 1F1B that recomputes a forward in the bubble before its backward where there is one (Merak): where the forwards have
/// run out, but on the last stage. Other backwards have no recompute operation: they recompute within themselves.
Order early_recomputation(int stages, int microbatches);
/// By name: `1f1b`, `gpipe`, `interleaved`, `zb-h1`, `early-recompute`. Errors: bad_input for an unknown name (with the
/// known ones), a number below 1, several chunks where a schedule takes one, and more operations than fit in memory.
Result<Order> make_order(std::string_view schedule, int stages, int microbatches, int chunks);
/// JSON: {"stages": [["F0", "F1", "B0", ...], ...]} with F, B, I (input gradient), W (weight gradient), R (recompute),
/// the microbatch, and `.chunk` when not 0. Errors: bad_input with the JSON path of every problem.
Result<Order> parse_order(std::string_view json, std::string name);

/// Times that are fixed, whatever the clocks.
struct FixedTimes {
  Seconds transfer{};            ///< of activations or gradients between neighbouring stages
  Seconds gradient_reduction{};  ///< data-parallel, after a stage's last backward
  Seconds optimizer_step{};      ///< after the reduction
};

/// Operations and what must end before what begins. Nodes are in topological order. Fixed-time work between two
/// nodes is a lag.
struct Dag {
  struct Node {
    int pipeline = 0;  ///< of the data-parallel group
    int stage = 0;     ///< of its pipeline
    int position = 0;  ///< index in the stage's order
    Operation operation;
  };
  struct Predecessor {
    std::uint32_t node = 0;
    Seconds lag{};  ///< from its end to this begin, at least
  };
  std::vector<Node> nodes;
  std::vector<std::vector<Predecessor>> predecessors;  ///< per node
  std::vector<Seconds> tail;                           ///< per node: from its end to the end of the iteration, at least
  std::vector<std::vector<std::uint32_t>> node_at;     ///< per stage (pipelines one after another) and position
  int stages = 0;                                      ///< of all pipelines together

  std::size_t size() const { return nodes.size(); }
};

/// What waits for what: an operation for the one before it on its stage; a forward for the same microbatch's on the
/// stage before (on the first stage: of the last stage's previous chunk); a backward or input gradient for the one of
/// the stage after (on the last stage: of the first stage's next chunk, and of the last chunk: for its own forward) and
/// for its recompute if the order has one; a weight gradient for its input gradient; a recompute for its forward.
/// Between different stages lies a transfer. The last operation of a stage has the reduction and the optimizer step as
/// its tail. Each microbatch's backward is whole or split, as the order has it. Errors: bad_input for an order that
/// misses an operation, repeats one or runs a backward both whole and split (all problems of all stages), for one that
/// deadlocks (names what cannot run, and what it waits for, on every stage that is to blame), and for fixed times that
/// are negative or not finite.
Result<Dag> build_dag(const Order& order, const FixedTimes& fixed = {});

/// Pipelines of one data-parallel group, which may differ: all must end before the gradients are reduced, so the
/// iteration ends when the slowest has. Nodes of the first pipeline come first.
Dag join_pipelines(std::span<const Dag> pipelines);

/// Earliest start of every node, and when the iteration ends (lags and tails included).
struct Timing {
  std::vector<Seconds> start;
  Seconds makespan;
};
Timing earliest_times(const Dag& dag, std::span<const Seconds> durations);

/// A way to execute a node: duration and effective energy.
struct NodeOption {
  Seconds time;
  Joules effective_energy;
};

/// The same for all nodes: functions are shared by the nodes that cost alike.
struct NodeCosts {
  std::vector<std::uint32_t> function_of;          ///< per node: index into `functions`
  std::vector<std::vector<NodeOption>> functions;  ///< options need not be convex or sorted
};

}  // namespace kareus::pipeline
