#include "kareus/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace kareus::workload {

std::string Workload::hash() const {
  // Names and the path of the model's file are left out: renaming a file does not change what is measured.
  const std::string canonical = fmt::format(
      "kareus-workload-1\n"
      "architecture={} hidden={} heads={} kv_heads={} head_dim={} ffn={} layers={} vocabulary={} qk_norm={} tied={}\n"
      "tensor={} context={} pipeline={} data={}\n"
      "microbatch={} sequence={} microbatches={} checkpointing={} stages={}\n"
      "device={}\n",
      model.architecture, model.hidden, model.heads, model.kv_heads, model.head_dim, model.ffn_hidden, model.layers,
      model.vocabulary, model.qk_norm, model.tied_embeddings, parallelism.tensor, parallelism.context,
      parallelism.pipeline, parallelism.data, microbatch_size, sequence_length, microbatches, activation_checkpointing,
      fmt::join(layers_per_stage, ","), device);
  return hex(stable_hash(canonical));
}

}  // namespace kareus::workload
