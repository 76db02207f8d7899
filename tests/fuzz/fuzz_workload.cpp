#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "kareus/partition.hpp"
#include "workload/parse.hpp"

namespace {

using namespace kareus;

Result<workload::ModelShape> small_model(const std::filesystem::path&) {
  return workload::ModelShape{.architecture = "Qwen3ForCausalLM",
                              .hidden = 2048,
                              .heads = 16,
                              .kv_heads = 8,
                              .head_dim = 128,
                              .ffn_hidden = 6144,
                              .layers = 28,
                              .vocabulary = 151936,
                              .qk_norm = true,
                              .tied_embeddings = true};
}

constexpr workload::NominalRates kRates{
    .compute = FlopsPerSecond(312e12), .memory = BytesPerSecond(1.555e12), .link = BytesPerSecond(300e9)};

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

/// Any text is either a workload that can be decomposed or an error that says what is wrong.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto job = workload::parse_workload(text, "workload.toml", small_model);
  if (!job) {
    require(!job.error().problems.empty());
    return 0;
  }
  require(std::accumulate(job->layers_per_stage.begin(), job->layers_per_stage.end(), 0) == job->model.layers);
  require(job->layers_per_stage.size() == static_cast<std::size_t>(job->parallelism.pipeline));
  require(job->hash().size() == 16);
  const workload::WorkloadParts parts = workload::decompose(*job, kRates);
  for (const workload::PartitionType& type : parts.types) {
    require(type.communication && std::isfinite(type.communication->message.si()) && !type.searched_slots.empty());
  }
  return 0;
}
