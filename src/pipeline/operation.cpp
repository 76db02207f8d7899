#include "pipeline/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kareus::pipeline {

std::string to_string(OperationKind kind) {
  switch (kind) {
    case OperationKind::forward:
      return "forward";
    case OperationKind::backward:
      return "backward";
    case OperationKind::input_gradient:
      return "input_gradient";
    case OperationKind::weight_gradient:
      return "weight_gradient";
    case OperationKind::recompute:
      return "recompute";
  }
  return {};
}

std::string spoken(OperationKind kind) {
  if (kind == OperationKind::recompute) return "recomputation";
  std::string words = to_string(kind);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string describe(const Operation& operation) {
  const std::string text = fmt::format("{} of microbatch {}", spoken(operation.kind), operation.microbatch);
  return operation.chunk == 0 ? text : fmt::format("{} on chunk {}", text, operation.chunk);
}

}  // namespace kareus::pipeline
