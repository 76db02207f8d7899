#include "kareus/partition.hpp"

namespace kareus::workload {

std::string to_string(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "forward";
    case Direction::backward:
      return "backward";
  }
  throw_logic_error("known direction", __FILE__, __LINE__);
}

std::string to_string(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::norm:
      return "norm";
    case OperatorKind::rope:
      return "rope";
    case OperatorKind::activation:
      return "activation";
    case OperatorKind::linear:
      return "linear";
    case OperatorKind::attention:
      return "attn";
    case OperatorKind::embedding:
      return "embedding";
    case OperatorKind::loss:
      return "loss";
    case OperatorKind::all_reduce:
      return "all_reduce";
    case OperatorKind::all_gather:
      return "all_gather";
    case OperatorKind::reduce_scatter:
      return "reduce_scatter";
  }
  throw_logic_error("known operator kind", __FILE__, __LINE__);
}

std::string to_string(Group group) {
  switch (group) {
    case Group::none:
      return "none";
    case Group::tensor:
      return "tensor";
    case Group::context:
      return "context";
  }
  throw_logic_error("known group", __FILE__, __LINE__);
}

bool is_communication(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::all_reduce:
    case OperatorKind::all_gather:
    case OperatorKind::reduce_scatter:
      return true;
    case OperatorKind::norm:
    case OperatorKind::rope:
    case OperatorKind::activation:
    case OperatorKind::linear:
    case OperatorKind::attention:
    case OperatorKind::embedding:
    case OperatorKind::loss:
      return false;
  }
  throw_logic_error("known operator kind", __FILE__, __LINE__);
}

bool is_memory_bound(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::norm:
    case OperatorKind::rope:
    case OperatorKind::activation:
    case OperatorKind::embedding:
    case OperatorKind::loss:
      return true;
    case OperatorKind::linear:
    case OperatorKind::attention:
    case OperatorKind::all_reduce:
    case OperatorKind::all_gather:
    case OperatorKind::reduce_scatter:
      return false;
  }
  throw_logic_error("known operator kind", __FILE__, __LINE__);
}

}  // namespace kareus::workload
