#include "workload/rank_shape.hpp"

namespace kareus::workload {

RankShape rank_shape(const Workload& workload, double samples) {
  const ModelShape& model = workload.model;
  const int tensor = workload.parallelism.tensor;
  const int context = workload.parallelism.context;
  KAREUS_CHECK(samples > 0 && tensor > 0 && context > 0);
  const double sequence = workload.sequence_length;
  return {.sequence = sequence,
          .tokens = samples * sequence / context,
          .gathered_tokens = samples * sequence,
          .hidden = model.hidden,
          .query_width = model.heads / tensor * model.head_dim,
          .key_value_width = model.kv_heads / tensor * model.head_dim,
          .query_heads = model.heads / tensor,
          .ffn_width = model.ffn_hidden / tensor,
          .vocabulary = model.vocabulary / tensor,
          .qk_norm = model.qk_norm,
          .tensor_ranks = tensor,
          .context_ranks = context};
}

}  // namespace kareus::workload
