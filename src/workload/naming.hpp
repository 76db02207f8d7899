#pragma once

#include <string>
#include <vector>

#include "kareus/partition.hpp"

namespace kareus::workload {

/// Name of a stretch of compute by what it holds: `attn` for a whole attention block and `mlp` for a whole
/// feed-forward block, else the parts (`qkv`, `a`ttention, `o`utput projection, `ao`, `fc1`, `fc2`) joined with `_`;
/// `trail` when there is no matrix product in it.
std::string segment_name(const std::vector<Operator>& compute);

/// `fwd_` or `bwd_`.
std::string direction_prefix(Direction direction);

/// `_ar`, `_ag` or `_rs`.
std::string communication_suffix(OperatorKind kind);

}  // namespace kareus::workload
