#pragma once

#include <string>

#include "kareus/partition.hpp"
#include "workload/rank_shape.hpp"

namespace kareus::workload {

/// Bytes of a bfloat16 activation or weight, and of a float32 gradient or statistic.
inline constexpr double kHalf = 2;
inline constexpr double kFull = 4;

/// Operations and bytes per element of a memory-bound operator.
struct ElementCost {
  double flops = 0;
  double bytes = 0;
};

/// A memory-bound operator over `elements`.
Operator elementwise(std::string name, OperatorKind kind, Direction direction, double elements, ElementCost cost);

/// A linear layer from `in` to `out` features. Forward is one product; backward is two, the input's gradient and then
/// the weight's, which is accumulated in float32.
Operator linear(std::string name, Direction direction, double tokens, std::int64_t in, std::int64_t out);

/// Causal FlashAttention. Forward takes two products over half of the score matrix; backward takes five, since it
/// computes the scores again (FlashAttention-2, section 4.1: 2.5 times the forward's operations).
Operator attention(std::string name, Direction direction, const RankShape& shape);

/// A collective whose full (reduced or gathered) buffer on one rank has `bytes`.
Operator collective(std::string name, OperatorKind kind, Direction direction, Group group, int ranks, double bytes);

}  // namespace kareus::workload
