#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kareus/quantity.hpp"
#include "kareus/workload.hpp"

namespace kareus::workload {

enum class Direction { forward, backward };
std::string to_string(Direction direction);

/// What an operator does, which decides how it uses a GPU.
enum class OperatorKind {
  norm,        ///< RMSNorm, residual fork, bias-dropout-add: memory bound
  rope,        ///< QKV post-processing, query and key norm, rotary embedding: memory bound
  activation,  ///< SwiGLU: memory bound
  linear,      ///< matrix product on tensor cores
  attention,   ///< FlashAttention
  embedding,   ///< table look-up or its gradient: memory bound
  loss,        ///< cross entropy over the vocabulary: memory bound
  all_reduce,
  all_gather,
  reduce_scatter,
};
std::string to_string(OperatorKind kind);
bool is_communication(OperatorKind kind);
/// Memory-bound kinds: consecutive operators of one such kind share a launch slot.
bool is_memory_bound(OperatorKind kind);

/// One matrix product C[m,n] = A[m,k] B[k,n]; its tiles decide wave quantisation.
struct MatrixShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

enum class Group { none, tensor, context };
std::string to_string(Group group);

/// One kernel, or one group of kernels that always run together, of one nanobatch on one GPU.
struct Operator {
  std::string name;  ///< for example `linear_qkv`
  OperatorKind kind = OperatorKind::norm;
  Direction direction = Direction::forward;
  Flops work;                         ///< floating-point operations on this GPU
  Bytes traffic;                      ///< bytes moved between this GPU and its memory
  std::vector<MatrixShape> products;  ///< matrix products of a linear operator (two in the backward pass)
  Group group = Group::none;          ///< communication only
  int ranks = 1;                      ///< communication only: ranks of the group
  Bytes message;  ///< communication only: bytes of the full (reduced or gathered) buffer on one rank
};

/// Compute operators that a communication kernel can be launched with; named `<kind>_<running index>`.
struct LaunchSlot {
  std::string name;
  std::size_t first_operator = 0;  ///< index into PartitionType::compute
};

/// One communication kernel of a nanobatch and the longest contiguous independent compute of the other nanobatch
/// (Kareus, section 4.2). The partitions of one type in a stage all run under one configuration.
struct PartitionType {
  std::string name;  ///< for example `fwd_attn`, `bwd_qkv_rs`
  Direction direction = Direction::forward;
  std::vector<Operator> compute;            ///< in execution order
  std::optional<Operator> communication;    ///< the fused operator; nothing when no rank has a peer
  std::vector<LaunchSlot> slots;            ///< every slot, in execution order
  std::vector<std::size_t> searched_slots;  ///< indices of the slots worth searching
  double count_per_layer = 0;               ///< partitions of this type in one layer and microbatch (both nanobatches)
};

/// Nominal rates of a GPU, for the rule that leaves out launch slots which always expose the communication.
struct NominalRates {
  FlopsPerSecond compute;
  BytesPerSecond memory;
  BytesPerSecond link;  ///< per direction, to the peers of a group
};

/// Work of one stage for one microbatch and direction that no partition covers.
struct NonPartitionWork {
  std::string name;                 ///< `embedding`, `lm_head`, `loss`
  std::vector<Operator> operators;  ///< of the whole microbatch
};

/// What one instruction (forward or backward of a microbatch) consists of.
struct InstructionWork {
  /// One layer of a whole microbatch executed sequentially, communication included, in execution order; with
  /// activation checkpointing the backward starts with the recomputed forward.
  std::vector<Operator> sequential_layer;
  /// Partition types of one nanobatched layer; empty when the microbatch cannot be split. A recomputed type carries the
  /// same name as in the forward instruction and stands in `recomputed`.
  std::vector<std::string> partitions;
  std::vector<std::string> recomputed;
};

/// Everything of a workload that is measured: a pure function of the workload and nominal rates.
struct WorkloadParts {
  std::vector<PartitionType> types;  ///< each once, forward before backward, in order of first execution
  InstructionWork forward;
  InstructionWork backward;
  /// Per stage: work of the stage that is outside its layers.
  std::vector<std::vector<NonPartitionWork>> stage_forward;
  std::vector<std::vector<NonPartitionWork>> stage_backward;
};

/// Operators of one layer for `samples` sequences on one GPU, in execution order, communication in its place.
std::vector<Operator> layer_operators(const Workload& workload, Direction direction, double samples);

/// A partition as found: its compute and the (fused) communication of the other nanobatch it runs with.
struct FoundPartition {
  std::vector<Operator> compute;
  std::optional<Operator> communication;
};

/// Interleaves two nanobatches that both execute `operators` and cuts at communication: the rule of section 4.2.
/// Returns the partitions in execution order.
std::vector<FoundPartition> detect_partitions(const std::vector<Operator>& operators);

/// The launch slots of a partition, and which are searched: of several slots of one kind only the first, and not the
/// last one when even the fastest communication outlasts it at nominal rates.
std::vector<LaunchSlot> launch_slots(const std::vector<Operator>& compute);
std::vector<std::size_t> searched_launch_slots(const FoundPartition& partition, const std::vector<LaunchSlot>& slots,
                                               const NominalRates& rates);

WorkloadParts decompose(const Workload& workload, const NominalRates& rates);

}  // namespace kareus::workload
