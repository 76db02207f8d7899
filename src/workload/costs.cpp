#include "workload/costs.hpp"

#include <cmath>
#include <utility>

namespace kareus::workload {
namespace {

/// Per query element in the backward pass: a first pass reads the output and its gradient for their row sums; the main
/// pass reads the query, the output and its gradient, and accumulates the query's gradient in float32 (read and
/// write), which a last pass converts.
constexpr double kAttentionBackwardQueryBytes = 2 * kHalf + 3 * kHalf + 2 * kFull + kHalf;

double attention_traffic(Direction direction, const RankShape& shape) {
  const double queries = shape.tokens * static_cast<double>(shape.query_width);
  const double keys_and_values = 2 * shape.gathered_tokens * static_cast<double>(shape.key_value_width);
  const double statistics = kFull * shape.tokens * static_cast<double>(shape.query_heads);
  // Keys and values are counted once: blocks that read them again find them in the cache.
  if (direction == Direction::forward) return 2 * kHalf * queries + kHalf * keys_and_values + statistics;
  return kAttentionBackwardQueryBytes * queries + 2 * kHalf * keys_and_values + 2 * statistics;
}

}  // namespace

Operator elementwise(std::string name, OperatorKind kind, Direction direction, double elements, ElementCost cost) {
  Operator result;
  result.name = std::move(name);
  result.kind = kind;
  result.direction = direction;
  result.work = Flops(cost.flops * elements);
  result.traffic = Bytes(cost.bytes * elements);
  return result;
}

Operator linear(std::string name, Direction direction, double tokens, std::int64_t in, std::int64_t out) {
  Operator result;
  result.name = std::move(name);
  result.kind = OperatorKind::linear;
  result.direction = direction;
  const double weights = static_cast<double>(in) * static_cast<double>(out);
  const double activations = tokens * static_cast<double>(in + out);
  const std::int64_t rows = std::llround(tokens);
  if (direction == Direction::forward) {
    result.products = {{.m = rows, .n = out, .k = in}};
    result.work = Flops(2 * tokens * weights);
    result.traffic = Bytes(kHalf * (activations + weights));
  } else {
    result.products = {{.m = rows, .n = in, .k = out}, {.m = out, .n = in, .k = rows}};
    result.work = Flops(4 * tokens * weights);
    result.traffic = Bytes(2 * kHalf * activations + (kHalf + 2 * kFull) * weights);
  }
  return result;
}

Operator attention(std::string name, Direction direction, const RankShape& shape) {
  Operator result;
  result.name = std::move(name);
  result.kind = OperatorKind::attention;
  result.direction = direction;
  const double products = direction == Direction::forward ? 2 : 5;
  // A product costs two operations per score and head dimension; the causal mask leaves half of the scores.
  result.work = Flops(products * 2 * shape.tokens * shape.sequence * static_cast<double>(shape.query_width) / 2);
  result.traffic = Bytes(attention_traffic(direction, shape));
  return result;
}

Operator collective(std::string name, OperatorKind kind, Direction direction, Group group, int ranks, double bytes) {
  KAREUS_CHECK(is_communication(kind) && ranks > 1);
  Operator result;
  result.name = std::move(name);
  result.kind = kind;
  result.direction = direction;
  result.group = group;
  result.ranks = ranks;
  result.message = Bytes(bytes);
  return result;
}

}  // namespace kareus::workload
