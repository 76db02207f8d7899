#include "kareus/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/rank_shape.hpp"

namespace kareus::workload {
namespace {

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
constexpr double kReserved = 1.5 * kGibi;
constexpr double kHalf = 2;           // bytes
constexpr double kStates = 18;        // bytes per parameter
constexpr double kLogit = 2 + 4 + 4;  // bytes per logit
constexpr double kBuffers = 4;        // forward and backward of both nanobatches, each of half a microbatch

double layer_parameters(const RankShape& shape) {
  const auto h = static_cast<double>(shape.hidden);
  const auto q = static_cast<double>(shape.query_width);
  const auto ffn = static_cast<double>(shape.ffn_width);
  const double norms = 2 * h;
  return h * static_cast<double>(shape.qkv_width()) + q * h + 3 * h * ffn + norms;
}

double layer_activations(const RankShape& shape) {
  const auto h = static_cast<double>(shape.hidden);
  const auto q = static_cast<double>(shape.query_width);
  const auto ffn = static_cast<double>(shape.ffn_width);
  return shape.tokens * (8 * h + 2 * static_cast<double>(shape.qkv_width()) + 2 * q + 6 * ffn);
}

}  // namespace

Bytes StageMemory::peak() const {
  return states + checkpoints + nanobatches + std::max(activations, logits);
}

std::vector<StageMemory> estimate_memory(const Workload& workload, bool overlapped) {
  const RankShape shape = rank_shape(workload, workload.microbatch_size);
  const int stages = workload.parallelism.pipeline;
  const double stage_input = shape.tokens * static_cast<double>(shape.hidden) * kHalf;
  std::vector<StageMemory> memory;
  for (int stage = 0; stage < stages; ++stage) {
    const double layers = workload.layers_per_stage[static_cast<std::size_t>(stage)];
    const bool last = stage + 1 == stages;
    double parameters = layers * layer_parameters(shape);
    const double table = static_cast<double>(shape.vocabulary) * static_cast<double>(shape.hidden);
    if (stage == 0 || last) parameters += table;
    if (stages == 1 && !workload.model.tied_embeddings) parameters += table;
    const double in_flight = std::min(stages - stage, workload.microbatches);
    StageMemory one{
        .states = Bytes(kStates * parameters), .checkpoints = {}, .activations = {}, .logits = {}, .nanobatches = {}};
    if (workload.activation_checkpointing) {
      one.checkpoints = Bytes(in_flight * layers * stage_input);
      one.activations = Bytes((overlapped ? layers : 1.0) * layer_activations(shape));
    } else {
      one.activations = Bytes(in_flight * layers * layer_activations(shape));
    }
    if (last) one.logits = Bytes(kLogit * shape.tokens * static_cast<double>(shape.vocabulary));
    if (overlapped) one.nanobatches = Bytes(kBuffers * stage_input / 2 + kHalf * parameters);
    memory.push_back(one);
  }
  return memory;
}

std::optional<std::string> memory_problem(const Workload& workload, Bytes capacity) {
  const auto worst = [&](bool overlapped) {
    const auto memory = estimate_memory(workload, overlapped);
    return std::max_element(memory.begin(), memory.end(),
                            [](const StageMemory& a, const StageMemory& b) { return a.peak() < b.peak(); })
               ->peak()
               .si() +
           kReserved;
  };
  const double overlapped = worst(workload.can_overlap());
  if (overlapped <= capacity.si()) return std::nullopt;
  const double sequential = worst(false);
  return fmt::format("about {:.0f} GiB are needed on a GPU of {:.0f} GiB ({:.0f} GiB when executed sequentially)",
                     overlapped / kGibi, capacity.si() / kGibi, sequential / kGibi);
}

}  // namespace kareus::workload
