#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

// While forwards and backwards alternate there is no bubble before a backward, which then recomputes within itself.
// When the forwards have run out each backward waits where a forward would have been: the recomputation goes there. The
// last stage never waits. (Merak, Lai et al. 2023: microbatches beyond `microbatches - stages + stage`.)
Order early_recomputation(int stages, int microbatches) {
  Order order = one_forward_one_backward(stages, microbatches);
  for (int stage = 0; stage + 1 < stages; ++stage) {
    auto& operations = order[static_cast<std::size_t>(stage)];
    const int first_late = std::max(0, microbatches - (stages - 1 - stage));
    std::vector<Operation> early;
    early.reserve(operations.size() + static_cast<std::size_t>(microbatches - first_late));
    for (const Operation& operation : operations) {
      if (operation.kind == OperationKind::backward && operation.microbatch >= first_late) {
        early.push_back({OperationKind::recompute, operation.microbatch, operation.chunk});
      }
      early.push_back(operation);
    }
    operations = std::move(early);
  }
  return order;
}

}  // namespace kareus::pipeline
