#include <fmt/format.h>

#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {
namespace {

/// The k-th forward and the k-th backward of a stage: microbatches go in groups of one per stage, and a group passes
/// all chunks before the next one begins (Megatron-LM; Narayanan et al., SC 2021, section 2.2.2).
class ChunkSequence {
 public:
  ChunkSequence(std::int64_t stages, std::int64_t chunks) : stages_(stages), chunks_(chunks) {}

  Operation forward(std::int64_t k) const {
    return {OperationKind::forward, microbatch(k), static_cast<int>(k % (stages_ * chunks_) / stages_)};
  }
  Operation backward(std::int64_t k) const {
    return {OperationKind::backward, microbatch(k), static_cast<int>(chunks_ - 1 - k % (stages_ * chunks_) / stages_)};
  }

 private:
  int microbatch(std::int64_t k) const { return static_cast<int>(k / (stages_ * chunks_) * stages_ + k % stages_); }

  std::int64_t stages_;
  std::int64_t chunks_;
};

std::vector<Operation> stage_operations(int stage, int stages, int microbatches, int chunks) {
  const ChunkSequence sequence(stages, chunks);
  const std::int64_t total = std::int64_t{microbatches} * chunks;
  const std::int64_t warm_up =
      std::min(total, 2 * std::int64_t{stages - stage - 1} + std::int64_t{chunks - 1} * stages);
  std::vector<Operation> operations;
  operations.reserve(2 * static_cast<std::size_t>(total));
  std::int64_t forwards = 0;
  for (; forwards < warm_up; ++forwards) operations.push_back(sequence.forward(forwards));
  std::int64_t backwards = 0;
  for (; forwards < total; ++forwards, ++backwards) {
    operations.push_back(sequence.forward(forwards));
    operations.push_back(sequence.backward(backwards));
  }
  for (; backwards < total; ++backwards) operations.push_back(sequence.backward(backwards));
  return operations;
}

}  // namespace

Result<Order> interleaved(int stages, int microbatches, int chunks) {
  KAREUS_CHECK(stages >= 1 && microbatches >= 0 && chunks >= 1);
  if (microbatches % stages != 0) {
    const int below = microbatches / stages * stages;
    return fail(ErrorCode::bad_input,
                fmt::format("the interleaved schedule needs a multiple of the {} stages as the number of microbatches, "
                            "not {}",
                            stages, microbatches),
                "microbatches",
                below > 0 ? fmt::format("take {} or {}", below, below + stages) : fmt::format("take {}", stages));
  }
  // Nothing is interleaved with one chunk; Megatron-LM then runs plain 1F1B, which keeps less in flight.
  if (chunks == 1) return one_forward_one_backward(stages, microbatches);
  Order order;
  for (int stage = 0; stage < stages; ++stage) {
    order.push_back(stage_operations(stage, stages, microbatches, chunks));
  }
  return order;
}

}  // namespace kareus::pipeline
