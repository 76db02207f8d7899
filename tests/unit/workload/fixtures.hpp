#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kareus/partition.hpp"

namespace kareus::workload {

/// An A100-SXM4-40GB: bfloat16 tensor cores, HBM2 and twelve NVLinks.
inline constexpr NominalRates kA100{
    .compute = FlopsPerSecond(312e12), .memory = BytesPerSecond(1.555e12), .link = BytesPerSecond(300e9)};

inline std::filesystem::path workloads_folder() {
  return std::filesystem::path(KAREUS_SOURCE_DIR) / "workloads";
}

inline Workload shipped_workload(const std::string& name) {
  auto workload = read_workload(workloads_folder() / (name + ".toml"));
  if (!workload) throw std::runtime_error(workload.error().to_string());
  return std::move(*workload);
}

inline std::vector<std::string> shipped_workload_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(workloads_folder())) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Llama 3.2 3B with the given degrees, four sequences of 4096 tokens.
inline Workload small_workload(int tensor, int context) {
  Workload workload;
  workload.name = "small";
  workload.model = {.architecture = "LlamaForCausalLM",
                    .hidden = 3072,
                    .heads = 24,
                    .kv_heads = 8,
                    .head_dim = 128,
                    .ffn_hidden = 8192,
                    .layers = 28,
                    .vocabulary = 128256,
                    .qk_norm = false,
                    .tied_embeddings = true};
  workload.parallelism = {.tensor = tensor, .context = context, .pipeline = 2, .data = 1};
  workload.microbatch_size = 4;
  workload.sequence_length = 4096;
  workload.microbatches = 8;
  workload.layers_per_stage = {14, 14};
  workload.device = "a100-sxm4-40gb";
  return workload;
}

inline std::vector<std::string> names(const std::vector<Operator>& operators) {
  std::vector<std::string> result;
  for (const Operator& op : operators) result.push_back(op.name);
  return result;
}

inline const Operator& find(const std::vector<Operator>& operators, const std::string& name) {
  const auto found =
      std::find_if(operators.begin(), operators.end(), [&](const Operator& op) { return op.name == name; });
  if (found == operators.end()) throw std::runtime_error("no operator " + name);
  return *found;
}

inline Flops total_work(const std::vector<Operator>& operators) {
  Flops sum;
  for (const Operator& op : operators) sum += op.work;
  return sum;
}

inline Bytes total_traffic(const std::vector<Operator>& operators) {
  Bytes sum;
  for (const Operator& op : operators) sum += op.traffic;
  return sum;
}

inline Bytes total_messages(const std::vector<Operator>& operators) {
  Bytes sum;
  for (const Operator& op : operators) sum += op.message;
  return sum;
}

}  // namespace kareus::workload
