#include <string>
#include <utility>
#include <vector>

#include "kareus/partition.hpp"
#include "workload/costs.hpp"
#include "workload/rank_shape.hpp"

namespace kareus::workload {
namespace {

// Costs per element of the memory-bound operators. Bytes count each tensor that a kernel reads or writes once, in
// bfloat16 unless noted; the dropout mask takes one byte.
constexpr ElementCost kNormForward{.flops = 4, .bytes = 2 * kHalf};
/// Reads input, output gradient and the gradient that joins from the residual fork; writes their sum.
constexpr ElementCost kNormBackward{.flops = 9, .bytes = 4 * kHalf};
/// Bias, dropout and residual add: reads the branch and the residual, writes the sum and the mask.
constexpr ElementCost kBiasDropoutAddForward{.flops = 3, .bytes = 3 * kHalf + 1};
/// The residual's gradient is the output's, so only the branch is computed.
constexpr ElementCost kBiasDropoutAddBackward{.flops = 2, .bytes = 2 * kHalf + 1};
/// Splits the fused projection into queries, keys and values, or joins their gradients.
constexpr ElementCost kSplit{.flops = 0, .bytes = 2 * kHalf};
constexpr ElementCost kHeadNormForward{.flops = 4, .bytes = 2 * kHalf};
constexpr ElementCost kHeadNormBackward{.flops = 8, .bytes = 3 * kHalf};
constexpr ElementCost kRotary{.flops = 3, .bytes = 2 * kHalf};
/// SwiGLU per element of the feed-forward width: two inputs and one output, then three inputs and two outputs.
constexpr ElementCost kActivationForward{.flops = 5, .bytes = 3 * kHalf};
constexpr ElementCost kActivationBackward{.flops = 11, .bytes = 5 * kHalf};

/// Writes down the operators of one layer in one direction.
class LayerWriter {
 public:
  LayerWriter(const RankShape& shape, Direction direction) : shape_(shape), direction_(direction) {}

  std::vector<Operator> take() { return std::move(operators_); }

  void norm(std::string name) { add(std::move(name), OperatorKind::norm, hidden(), pick(kNormForward, kNormBackward)); }

  void bias_dropout_add(std::string name) {
    add(std::move(name), OperatorKind::norm, hidden(), pick(kBiasDropoutAddForward, kBiasDropoutAddBackward));
  }

  void qkv_postprocess() {
    add("qkv_postprocess", OperatorKind::rope, shape_.tokens * static_cast<double>(shape_.qkv_width()), kSplit);
    if (!shape_.qk_norm) return;
    const ElementCost cost = pick(kHeadNormForward, kHeadNormBackward);
    operators_.back().work += Flops(cost.flops * queries_and_keys());
    operators_.back().traffic += Bytes(cost.bytes * queries_and_keys());
  }

  void rotary() { add("rotary", OperatorKind::rope, queries_and_keys(), kRotary); }

  void activation() {
    add("activation", OperatorKind::activation, shape_.tokens * static_cast<double>(shape_.ffn_width),
        pick(kActivationForward, kActivationBackward));
  }

  void core_attention() { operators_.push_back(attention("core_attention", direction_, shape_)); }

  /// Weights split by output features: every rank holds a part of the input's gradient afterwards.
  void column_linear(std::string name, std::int64_t in, std::int64_t out) {
    operators_.push_back(linear(std::move(name), direction_, shape_.tokens, in, out));
    if (direction_ == Direction::backward) all_reduce();
  }

  /// Weights split by input features: every rank holds a part of the output afterwards.
  void row_linear(std::string name, std::int64_t in, std::int64_t out) {
    operators_.push_back(linear(std::move(name), direction_, shape_.tokens, in, out));
    if (direction_ == Direction::forward) all_reduce();
  }

  /// A collective on keys or values of the whole sequence.
  void context_collective(std::string name, OperatorKind kind) {
    if (shape_.context_ranks == 1) return;
    const double bytes = kHalf * shape_.gathered_tokens * static_cast<double>(shape_.key_value_width);
    operators_.push_back(collective(std::move(name), kind, direction_, Group::context, shape_.context_ranks, bytes));
  }

 private:
  double hidden() const { return shape_.tokens * static_cast<double>(shape_.hidden); }
  double queries_and_keys() const {
    return shape_.tokens * static_cast<double>(shape_.query_width + shape_.key_value_width);
  }
  ElementCost pick(ElementCost forward, ElementCost backward) const {
    return direction_ == Direction::forward ? forward : backward;
  }
  void add(std::string name, OperatorKind kind, double elements, ElementCost cost) {
    operators_.push_back(elementwise(std::move(name), kind, direction_, elements, cost));
  }
  void all_reduce() {
    if (shape_.tensor_ranks == 1) return;
    operators_.push_back(collective("all_reduce", OperatorKind::all_reduce, direction_, Group::tensor,
                                    shape_.tensor_ranks, kHalf * hidden()));
  }

  const RankShape& shape_;
  Direction direction_;
  std::vector<Operator> operators_;
};

std::vector<Operator> forward_layer(const RankShape& shape) {
  LayerWriter layer(shape, Direction::forward);
  layer.norm("input_norm");
  layer.column_linear("linear_qkv", shape.hidden, shape.qkv_width());
  layer.qkv_postprocess();
  layer.rotary();
  layer.context_collective("all_gather_k", OperatorKind::all_gather);
  layer.context_collective("all_gather_v", OperatorKind::all_gather);
  layer.core_attention();
  layer.row_linear("linear_proj", shape.query_width, shape.hidden);
  layer.bias_dropout_add("self_attn_bda");
  layer.norm("pre_mlp_norm");
  layer.column_linear("fc1", shape.hidden, 2 * shape.ffn_width);
  layer.activation();
  layer.row_linear("fc2", shape.ffn_width, shape.hidden);
  layer.bias_dropout_add("mlp_bda");
  return layer.take();
}

std::vector<Operator> backward_layer(const RankShape& shape) {
  LayerWriter layer(shape, Direction::backward);
  layer.bias_dropout_add("mlp_bda");
  layer.row_linear("fc2", shape.ffn_width, shape.hidden);
  layer.activation();
  layer.column_linear("fc1", shape.hidden, 2 * shape.ffn_width);
  layer.norm("pre_mlp_norm");
  layer.bias_dropout_add("self_attn_bda");
  layer.row_linear("linear_proj", shape.query_width, shape.hidden);
  // Gathered keys and values are not kept from the forward pass.
  layer.context_collective("all_gather_k", OperatorKind::all_gather);
  layer.context_collective("all_gather_v", OperatorKind::all_gather);
  layer.core_attention();
  layer.context_collective("reduce_scatter_dk", OperatorKind::reduce_scatter);
  layer.context_collective("reduce_scatter_dv", OperatorKind::reduce_scatter);
  layer.rotary();
  layer.qkv_postprocess();
  layer.column_linear("linear_qkv", shape.hidden, shape.qkv_width());
  layer.norm("input_norm");
  return layer.take();
}

}  // namespace

std::vector<Operator> layer_operators(const Workload& workload, Direction direction, double samples) {
  const RankShape shape = rank_shape(workload, samples);
  return direction == Direction::forward ? forward_layer(shape) : backward_layer(shape);
}

}  // namespace kareus::workload
