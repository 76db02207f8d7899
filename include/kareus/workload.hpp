#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kareus/result.hpp"

namespace kareus::workload {

/// Shape of a dense decoder-only Transformer with grouped-query attention and a gated feed-forward network.
struct ModelShape {
  std::string architecture;   ///< as in config.json, for example `LlamaForCausalLM`
  std::int64_t hidden = 0;    ///< hidden_size
  std::int64_t heads = 0;     ///< query heads
  std::int64_t kv_heads = 0;  ///< key and value heads
  std::int64_t head_dim = 0;
  std::int64_t ffn_hidden = 0;  ///< intermediate_size
  std::int64_t layers = 0;
  std::int64_t vocabulary = 0;
  bool qk_norm = false;  ///< normalises queries and keys per head (Qwen 3)
  bool tied_embeddings = false;
};

/// Degrees of parallelism. GPUs of one stage = tensor x context; of the job = tensor x context x pipeline x data.
struct Parallelism {
  int tensor = 1;
  int context = 1;
  int pipeline = 1;
  int data = 1;

  int gpus_per_stage() const { return tensor * context; }
};

/// A training job as its owner describes it: what is trained, how it is split, and on which device.
struct Workload {
  std::string name;                  ///< file name without extension
  std::filesystem::path model_path;  ///< the config.json, as written in the file
  ModelShape model;
  Parallelism parallelism;
  int microbatch_size = 1;
  int sequence_length = 0;
  int microbatches = 1;  ///< per iteration and pipeline
  bool activation_checkpointing = false;
  std::vector<int> layers_per_stage;  ///< one entry per stage, all positive
  std::string device;                 ///< name of a device description

  /// A microbatch of one cannot be split into nanobatches: only sequential execution is planned.
  bool can_overlap() const { return microbatch_size >= 2; }
  /// Identity of everything that a measurement depends on, stable across runs (16 hexadecimal digits).
  std::string hash() const;
};

/// Reads a Hugging Face `config.json`. Errors: bad_input with every problem of the file: an unknown architecture (by
/// name), missing, negative or inconsistent sizes, a file that is not a model's.
Result<ModelShape> read_model(const std::filesystem::path& config_json);

/// Reads a `workload.toml` and the model's config that it names (relative to the file). Errors: bad_input with every
/// problem of both files: unknown keys, missing or negative degrees, degrees that do not divide heads, sequence or
/// layers, layers_per_stage that do not sum to the model's layers.
Result<Workload> read_workload(const std::filesystem::path& workload_toml);

}  // namespace kareus::workload
