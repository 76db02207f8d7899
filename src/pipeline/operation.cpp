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

char letter(OperationKind kind) {
  switch (kind) {
    case OperationKind::forward:
      return 'F';
    case OperationKind::backward:
      return 'B';
    case OperationKind::input_gradient:
      return 'I';
    case OperationKind::weight_gradient:
      return 'W';
    case OperationKind::recompute:
      return 'R';
  }
  return '?';
}

std::string short_name(const Operation& operation) {
  std::string name = fmt::format("{}{}", letter(operation.kind), operation.microbatch);
  if (operation.chunk != 0) name += fmt::format(".{}", operation.chunk);
  return name;
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
