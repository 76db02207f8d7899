#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "../../unit/workload/fixtures.hpp"
#include "workload/parse.hpp"

namespace kareus::workload {
namespace {

/// A random list of operators, each with its own name, work and message; runs of communication included.
std::vector<Operator> any_operators() {
  const int count = *rc::gen::inRange(0, 30);
  std::vector<Operator> operators;
  for (int i = 0; i < count; ++i) {
    Operator op;
    op.name = std::to_string(i);
    op.kind = *rc::gen::element(OperatorKind::norm, OperatorKind::rope, OperatorKind::linear, OperatorKind::attention,
                                OperatorKind::all_reduce, OperatorKind::all_gather);
    if (is_communication(op.kind)) {
      op.group = *rc::gen::element(Group::tensor, Group::context);
      op.ranks = 4;
      op.message = Bytes(std::exp2(*rc::gen::inRange(0, 20)));
    } else {
      op.work = Flops(std::exp2(*rc::gen::inRange(0, 20)));
    }
    operators.push_back(op);
  }
  return operators;
}

/// A valid random workload, small numbers of everything.
Workload any_workload() {
  Workload workload;
  const int tensor = 1 << *rc::gen::inRange(0, 4);
  const int context = 1 << *rc::gen::inRange(0, 3);
  const std::int64_t kv_heads = tensor * *rc::gen::inRange(1, 4);
  const std::int64_t heads = kv_heads * *rc::gen::inRange(1, 5);
  workload.model = {.architecture = "LlamaForCausalLM",
                    .hidden = 64 * *rc::gen::inRange(1, 100),
                    .heads = heads,
                    .kv_heads = kv_heads,
                    .head_dim = 2 * *rc::gen::inRange(1, 128),
                    .ffn_hidden = tensor * *rc::gen::inRange(1, 4000),
                    .layers = *rc::gen::inRange(2, 100),
                    .vocabulary = tensor * *rc::gen::inRange(1, 20000),
                    .qk_norm = *rc::gen::arbitrary<bool>(),
                    .tied_embeddings = false};
  workload.parallelism = {.tensor = tensor, .context = context, .pipeline = *rc::gen::inRange(1, 4), .data = 1};
  workload.microbatch_size = *rc::gen::inRange(1, 20);
  workload.sequence_length = 2 * context * *rc::gen::inRange(1, 3000);
  workload.activation_checkpointing = *rc::gen::arbitrary<bool>();
  return workload;
}

Direction any_direction() {
  return *rc::gen::element(Direction::forward, Direction::backward);
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

RC_GTEST_PROP(Detector, LosesAndAddsNothing, ()) {
  const auto operators = any_operators();
  double work = 0;
  double messages = 0;
  std::map<std::string, int> executions;
  for (const FoundPartition& partition : detect_partitions(operators)) {
    RC_ASSERT(!partition.compute.empty() || partition.communication);
    for (const Operator& op : partition.compute) {
      RC_ASSERT(!is_communication(op.kind));
      ++executions[op.name];
    }
    work += total_work(partition.compute).si();
    if (partition.communication) messages += partition.communication->message.si();
  }
  RC_ASSERT(work == 2 * total_work(operators).si());
  RC_ASSERT(messages == 2 * total_messages(operators).si());
  for (const Operator& op : operators) RC_ASSERT(executions[op.name] == (is_communication(op.kind) ? 0 : 2));
}

/// Executes the partitions of a stage on two nanobatches, one after the other in turn, and checks that each nanobatch
/// computes and communicates exactly its operators in their order, and only ever communicates beside the other's
/// compute.
RC_GTEST_PROP(Detector, ExecutesBothNanobatchesInOrder, ()) {
  const Workload workload = any_workload();
  const auto layer = layer_operators(workload, any_direction(), 1);
  const int layers = *rc::gen::inRange(1, 5);
  std::vector<std::string> expected;  // fused communication under its joined name
  for (int i = 0; i < layers; ++i) {
    bool after_communication = false;
    for (const Operator& op : layer) {
      const bool communicates = is_communication(op.kind);
      if (communicates && after_communication) {
        expected.back() += "+" + op.name;
      } else {
        expected.push_back(op.name);
      }
      after_communication = communicates;
    }
  }
  std::vector<Operator> operators;
  for (int i = 0; i < layers; ++i) operators.insert(operators.end(), layer.begin(), layer.end());
  const auto partitions = detect_partitions(operators);
  RC_ASSERT(partitions.size() % 2 == 0);

  std::array<std::vector<std::string>, 2> executed;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const std::size_t computing = i % 2;
    for (const Operator& op : partitions[i].compute) executed[computing].push_back(op.name);
    if (partitions[i].communication) executed[1 - computing].push_back(partitions[i].communication->name);
  }
  RC_ASSERT(executed[0] == expected);
  RC_ASSERT(executed[1] == expected);
}

RC_GTEST_PROP(Layer, HalfTheSamplesAreHalfTheWork, ()) {
  const Workload workload = any_workload();
  const Direction direction = any_direction();
  const double samples = *rc::gen::inRange(1, 20);
  const auto whole = layer_operators(workload, direction, samples);
  const auto half = layer_operators(workload, direction, samples / 2);
  RC_ASSERT(names(whole) == names(half));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    RC_ASSERT(near(2 * half[i].work.si(), whole[i].work.si()));
    RC_ASSERT(near(2 * half[i].message.si(), whole[i].message.si()));
    // Weights are read whole however few the samples.
    RC_ASSERT(2 * half[i].traffic.si() >= whole[i].traffic.si() * (1 - 1e-9));
  }
}

RC_GTEST_PROP(Decomposition, TypesCountEveryOperatorOfBothNanobatches, ()) {
  const Workload workload = any_workload();
  const WorkloadParts parts = decompose(workload, kA100);
  const bool overlaps = workload.can_overlap() && workload.parallelism.gpus_per_stage() > 1;
  RC_ASSERT(parts.types.empty() == !overlaps);
  if (!overlaps) return;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto layer = layer_operators(workload, direction, workload.microbatch_size / 2.0);
    std::map<std::string, double> executions;
    double messages = 0;
    for (const PartitionType& type : parts.types) {
      if (type.direction != direction) continue;
      RC_ASSERT(type.communication.has_value());
      RC_ASSERT(!type.searched_slots.empty());
      RC_ASSERT(type.searched_slots.back() < type.slots.size());
      for (const Operator& op : type.compute) executions[op.name] += type.count_per_layer;
      messages += type.count_per_layer * type.communication->message.si();
    }
    for (const Operator& op : layer) {
      if (!is_communication(op.kind)) RC_ASSERT(executions[op.name] == 2);
    }
    RC_ASSERT(near(messages, 2 * total_messages(layer).si()));
  }
}

RC_GTEST_PROP(Decomposition, NumbersAreFiniteAndPositive, ()) {
  const Workload workload = any_workload();
  const WorkloadParts parts = decompose(workload, kA100);
  std::vector<Operator> all = parts.backward.sequential_layer;
  for (const auto* stages : {&parts.stage_forward, &parts.stage_backward}) {
    for (const auto& stage : *stages) {
      for (const auto& work : stage) all.insert(all.end(), work.operators.begin(), work.operators.end());
    }
  }
  for (const Operator& op : all) {
    RC_ASSERT(std::isfinite(op.work.si()) && std::isfinite(op.traffic.si()) && std::isfinite(op.message.si()));
    RC_ASSERT((is_communication(op.kind) ? op.message.si() > 0 && op.ranks > 1 : op.traffic.si() > 0));
    for (const MatrixShape& product : op.products) RC_ASSERT(product.m > 0 && product.n > 0 && product.k > 0);
  }
}

}  // namespace
}  // namespace kareus::workload
