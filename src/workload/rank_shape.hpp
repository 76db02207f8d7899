#pragma once

#include <cstdint>

#include "kareus/workload.hpp"

namespace kareus::workload {

/// One GPU's share of a batch of `samples` sequences: widths are what tensor parallelism leaves of a dimension, tokens
/// what context parallelism leaves of the sequence.
///
/// Context parallelism deals query tokens out so that every rank has the same share of the causal triangle; keys and
/// values are gathered for the whole sequence before attention. Norms and residual paths work on the full hidden width
/// on every tensor rank: sequence parallelism is not modelled.
struct RankShape {
  double sequence = 0;         ///< tokens of one whole sequence
  double tokens = 0;           ///< query tokens of this rank, over all samples
  double gathered_tokens = 0;  ///< key and value tokens after the gather, over all samples
  std::int64_t hidden = 0;
  std::int64_t query_width = 0;      ///< query heads of this rank x head dimension
  std::int64_t key_value_width = 0;  ///< key heads of this rank x head dimension; the same again for values
  std::int64_t query_heads = 0;
  std::int64_t ffn_width = 0;
  std::int64_t vocabulary = 0;
  bool qk_norm = false;
  int tensor_ranks = 1;
  int context_ranks = 1;

  std::int64_t qkv_width() const { return query_width + 2 * key_value_width; }
};

/// The workload's degrees must divide the model's dimensions, as read_workload ensures.
RankShape rank_shape(const Workload& workload, double samples);

}  // namespace kareus::workload
