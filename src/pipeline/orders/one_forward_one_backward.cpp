#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

Order one_forward_one_backward(int stages, int microbatches) {
  using enum OperationKind;
  KAREUS_CHECK(stages >= 0 && microbatches >= 0);
  Order order(static_cast<std::size_t>(stages));
  for (int stage = 0; stage < stages; ++stage) {
    auto& operations = order[static_cast<std::size_t>(stage)];
    operations.reserve(2 * static_cast<std::size_t>(microbatches));
    // Stages further from the end need more forwards in flight before the first backward comes back.
    const int warm_up = std::min(microbatches, stages - 1 - stage);
    int forwards = 0;
    for (; forwards < warm_up; ++forwards) operations.push_back({forward, forwards, 0});
    int backwards = 0;
    for (; forwards < microbatches; ++forwards, ++backwards) {
      operations.push_back({forward, forwards, 0});
      operations.push_back({backward, backwards, 0});
    }
    for (; backwards < microbatches; ++backwards) operations.push_back({backward, backwards, 0});
  }
  return order;
}

}  // namespace kareus::pipeline
