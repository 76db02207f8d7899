#include "workload/nonpartition.hpp"

#include "workload/costs.hpp"
#include "workload/rank_shape.hpp"

namespace kareus::workload {
namespace {

// Per element; see layer.cpp for the conventions.
constexpr ElementCost kLookUp{.flops = 0, .bytes = 2 * kHalf};
/// Scatters the output's gradient into a table of gradients: reads it, reads and writes the table's rows.
constexpr ElementCost kLookUpBackward{.flops = 1, .bytes = 3 * kHalf};
/// The table's gradient is dense: cleared, then added to the float32 gradient.
constexpr ElementCost kTableBackward{.flops = 1, .bytes = 2 * kHalf + 2 * kFull};
constexpr ElementCost kFinalNormForward{.flops = 4, .bytes = 2 * kHalf};
/// No residual joins here.
constexpr ElementCost kFinalNormBackward{.flops = 8, .bytes = 3 * kHalf};
/// Cross entropy over the logits in float32, element-wise passes fused: widen; find the maximum; exponentiate and sum;
/// normalise.
constexpr ElementCost kLossForward{.flops = 5, .bytes = kHalf + kFull + kFull + 2 * kFull + 2 * kFull};
/// Reads the probabilities, writes the logits' gradient.
constexpr ElementCost kLossBackward{.flops = 2, .bytes = kFull + kHalf};
/// Maximum, target logit and sum of exponentials per token, in float32, are reduced over the vocabulary's parts.
constexpr double kLossMessagePerToken = 3 * kFull;

class Parts {
 public:
  Parts(const RankShape& shape, Direction direction) : shape_(shape), direction_(direction) {}

  NonPartitionWork embedding() const {
    if (direction_ == Direction::forward) {
      NonPartitionWork work{"embedding", {element("embedding", OperatorKind::embedding, hidden(), kLookUp)}};
      reduce(work, kHalf * hidden());  // each rank holds a part of the vocabulary
      return work;
    }
    Operator gradient = element("embedding", OperatorKind::embedding, hidden(), kLookUpBackward);
    const double table = static_cast<double>(shape_.vocabulary) * static_cast<double>(shape_.hidden);
    gradient.work += Flops(kTableBackward.flops * table);
    gradient.traffic += Bytes(kTableBackward.bytes * table);
    return {"embedding", {gradient}};
  }

  NonPartitionWork lm_head() const {
    const Operator product = linear("lm_head", direction_, shape_.tokens, shape_.hidden, shape_.vocabulary);
    if (direction_ == Direction::forward) {
      return {"lm_head", {element("final_norm", OperatorKind::norm, hidden(), kFinalNormForward), product}};
    }
    NonPartitionWork work{"lm_head", {product}};
    reduce(work, kHalf * hidden());
    work.operators.push_back(element("final_norm", OperatorKind::norm, hidden(), kFinalNormBackward));
    return work;
  }

  NonPartitionWork loss() const {
    const double logits = shape_.tokens * static_cast<double>(shape_.vocabulary);
    const bool forward = direction_ == Direction::forward;
    const ElementCost cost = forward ? kLossForward : kLossBackward;
    NonPartitionWork work{"loss", {element("loss", OperatorKind::loss, logits, cost)}};
    if (forward) reduce(work, kLossMessagePerToken * shape_.tokens);
    return work;
  }

 private:
  double hidden() const { return shape_.tokens * static_cast<double>(shape_.hidden); }
  Operator element(const char* name, OperatorKind kind, double elements, ElementCost cost) const {
    return elementwise(name, kind, direction_, elements, cost);
  }
  void reduce(NonPartitionWork& work, double bytes) const {
    if (shape_.tensor_ranks == 1) return;
    work.operators.push_back(
        collective("all_reduce", OperatorKind::all_reduce, direction_, Group::tensor, shape_.tensor_ranks, bytes));
  }

  const RankShape& shape_;
  Direction direction_;
};

}  // namespace

std::vector<NonPartitionWork> non_partition_work(const Workload& workload, Direction direction, int stage) {
  const RankShape shape = rank_shape(workload, workload.microbatch_size);
  const Parts parts(shape, direction);
  const bool first = stage == 0;
  const bool last = stage + 1 == workload.parallelism.pipeline;
  std::vector<NonPartitionWork> work;
  if (direction == Direction::forward) {
    if (first) work.push_back(parts.embedding());
    if (last) work.push_back(parts.lm_head());
    if (last) work.push_back(parts.loss());
  } else {
    if (last) work.push_back(parts.loss());
    if (last) work.push_back(parts.lm_head());
    if (first) work.push_back(parts.embedding());
  }
  return work;
}

}  // namespace kareus::workload
