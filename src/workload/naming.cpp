#include "workload/naming.hpp"

#include <algorithm>
#include <string_view>

namespace kareus::workload {

std::string segment_name(const std::vector<Operator>& compute) {
  const auto holds = [&](std::string_view name) {
    return std::any_of(compute.begin(), compute.end(), [&](const Operator& op) { return op.name == name; });
  };
  std::string result;
  const auto add = [&](std::string_view part) {
    if (!result.empty()) result += '_';
    result += part;
  };
  const bool qkv = holds("linear_qkv");
  const bool attention = holds("core_attention");
  const bool projection = holds("linear_proj");
  if (qkv && attention && projection) {
    add("attn");
  } else {
    if (qkv) add("qkv");
    if (attention || projection) add(!projection ? "a" : !attention ? "o" : "ao");
  }
  const bool fc1 = holds("fc1");
  const bool fc2 = holds("fc2");
  if (fc1 || fc2) add(!fc2 ? "fc1" : !fc1 ? "fc2" : "mlp");
  return result.empty() ? "trail" : result;
}

std::string direction_prefix(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "fwd_";
    case Direction::backward:
      return "bwd_";
  }
  throw_logic_error("known direction", __FILE__, __LINE__);
}

std::string communication_suffix(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::all_reduce:
      return "_ar";
    case OperatorKind::all_gather:
      return "_ag";
    case OperatorKind::reduce_scatter:
      return "_rs";
    case OperatorKind::norm:
    case OperatorKind::rope:
    case OperatorKind::activation:
    case OperatorKind::linear:
    case OperatorKind::attention:
    case OperatorKind::embedding:
    case OperatorKind::loss:
      break;
  }
  throw_logic_error("a communication operator", __FILE__, __LINE__);
}

}  // namespace kareus::workload
