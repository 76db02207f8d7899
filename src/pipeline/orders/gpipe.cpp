#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

Order gpipe(int stages, int microbatches) {
  using enum OperationKind;
  KAREUS_CHECK(stages >= 0 && microbatches >= 0);
  std::vector<Operation> operations;
  operations.reserve(2 * static_cast<std::size_t>(microbatches));
  for (int microbatch = 0; microbatch < microbatches; ++microbatch) operations.push_back({forward, microbatch, 0});
  for (int microbatch = 0; microbatch < microbatches; ++microbatch) operations.push_back({backward, microbatch, 0});
  return Order(static_cast<std::size_t>(stages), operations);
}

}  // namespace kareus::pipeline
