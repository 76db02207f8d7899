#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

Order one_forward_one_backward(int stages, int microbatches) {
  using enum schedule::InstructionKind;
  KAREUS_CHECK(stages >= 0 && microbatches >= 0);
  Order order(static_cast<std::size_t>(stages));
  for (int stage = 0; stage < stages; ++stage) {
    auto& instructions = order[static_cast<std::size_t>(stage)];
    instructions.reserve(2 * static_cast<std::size_t>(microbatches));
    // Stages further from the end need more forwards in flight before the first backward comes back.
    const int warm_up = std::min(microbatches, stages - 1 - stage);
    int forwards = 0;
    for (; forwards < warm_up; ++forwards) instructions.push_back({forward, forwards});
    int backwards = 0;
    for (; forwards < microbatches; ++forwards, ++backwards) {
      instructions.push_back({forward, forwards});
      instructions.push_back({backward, backwards});
    }
    for (; backwards < microbatches; ++backwards) instructions.push_back({backward, backwards});
  }
  return order;
}

}  // namespace kareus::pipeline
