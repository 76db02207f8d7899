#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kareus/quantity.hpp"
#include "kareus/workload.hpp"

namespace kareus::workload {

/// Memory that one GPU of a stage needs at its peak, in mixed precision (BF16 with FP32 gradients and Adam).
struct StageMemory {
  Bytes states;       ///< 18 bytes per parameter: 2 weight, 4 gradient, 12 optimizer; nothing is sharded over replicas
  Bytes checkpoints;  ///< inputs of all layers, of the microbatches in flight under 1F1B; zero without checkpointing
  Bytes activations;  ///< of the layers whose backward is running (or, without checkpointing, of all in flight)
  Bytes logits;       ///< last stage: in BF16, widened, and their gradient
  Bytes nanobatches;  ///< communication buffers of both nanobatches, and the gradients of the second

  /// Logits are gone before the backward of the layers recomputes.
  Bytes peak() const;
};

/// The memory of every stage. Per layer and token, bytes of activations with h hidden, q query, kv key or value and f
/// feed-forward widths, t tensor ranks:
///
///     8 h + (2 (q + 2 kv) + 2 q + 6 f) / t
///
/// This is the count of Korthikanti et al. 2022 (Reducing Activation Recomputation in Large Transformer Models, section
/// 4.1: 34 h, of which 10 h are kept on every tensor rank) for FlashAttention, without dropout masks, with grouped
/// queries and a gated feed-forward network: residual and normed inputs of both halves (8 h), then queries, keys and
/// values, the attention's output, gate and up projections and their product. In flight on stage s of p are min(p - s,
/// microbatches). Parameters per stage: its layers / t and norms; on the first and the last stage the vocabulary's
/// table / t.
///
/// `overlapped`: both nanobatches are executed by one function over all layers of a stage (Kareus, section 6), so that
/// what it recomputes of all of them is alive at once; executed sequentially, one layer's is. That is what the
/// description of the published system says; its memory was not measured.
std::vector<StageMemory> estimate_memory(const Workload& workload, bool overlapped);

/// Why the workload will not fit a GPU of that capacity, for a warning; nothing when it fits. Of the capacity 1.5 GiB
/// go to the driver's context and the communication library (assumed).
std::optional<std::string> memory_problem(const Workload& workload, Bytes capacity);

}  // namespace kareus::workload
