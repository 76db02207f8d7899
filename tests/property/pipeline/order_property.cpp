// Orders against rules written a second time, with every dependency spelled out.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/pipeline/order_reference.hpp"

namespace kareus::pipeline {
namespace {

using Key = ReferenceRules::Key;

std::map<Key, double> random_durations(const Order& order) {
  std::map<Key, double> durations;
  for (const auto& [key, present] : ReferenceRules(order).present) durations[key] = *rc::gen::inRange(1, 20);
  return durations;
}

std::vector<Seconds> by_node(const Dag& dag, const std::map<Key, double>& durations) {
  std::vector<Seconds> result;
  for (const auto& node : dag.nodes) result.push_back(Seconds(durations.at({node.stage, node.operation})));
  return result;
}

/// Whole seconds, so that sums in any order are the same.
FixedTimes random_fixed_times() {
  return {.transfer = Seconds(*rc::gen::inRange(0, 5)),
          .gradient_reduction = Seconds(*rc::gen::inRange(0, 30)),
          .optimizer_step = Seconds(*rc::gen::inRange(0, 30))};
}

void assert_as_reference(const Dag& dag, const Order& order, const FixedTimes& fixed) {
  const auto durations = random_durations(order);
  const auto starts = reference_starts(order, durations, fixed.transfer.si());
  RC_ASSERT(starts.has_value());
  const Timing timing = earliest_times(dag, by_node(dag, durations));
  RC_ASSERT(dag.size() == starts->size());
  double end = 0;
  for (std::size_t node = 0; node < dag.size(); ++node) {
    const Key key{dag.nodes[node].stage, dag.nodes[node].operation};
    RC_ASSERT(timing.start[node].si() == starts->at(key));
    end = std::max(end, starts->at(key) + durations.at(key));
  }
  RC_ASSERT(timing.makespan.si() == end + fixed.gradient_reduction.si() + fixed.optimizer_step.si());
}

RC_GTEST_PROP(RandomOrder, RunsAsTheRulesSay, ()) {
  const Order order = random_order();
  const FixedTimes fixed = random_fixed_times();
  const auto dag = build_dag(order, fixed);
  RC_ASSERT(dag.has_value());
  assert_as_reference(*dag, order, fixed);
}

RC_GTEST_PROP(RandomOrder, RunsOrNamesACulpritWhenSwapped, ()) {
  Order order = random_order();
  for (int swaps = *rc::gen::inRange(1, 4); swaps > 0; --swaps) {
    auto& stage = order[*rc::gen::inRange<std::size_t>(0, order.size())];
    std::swap(stage[*rc::gen::inRange<std::size_t>(0, stage.size())],
              stage[*rc::gen::inRange<std::size_t>(0, stage.size())]);
  }
  const bool can_run = reference_starts(order, random_durations(order), 0).has_value();
  const auto dag = build_dag(order);
  RC_ASSERT(dag.has_value() == can_run);
  if (can_run) return assert_as_reference(*dag, order, {});
  RC_ASSERT(dag.error().code == ErrorCode::bad_input);
  RC_ASSERT(!dag.error().problems.empty());
  for (const Problem& problem : dag.error().problems) {
    RC_ASSERT(problem.what.find("can never run: it waits for the ") != std::string::npos);
  }
}

RC_GTEST_PROP(RandomOrder, NamesEachRemovedOperation, ()) {
  Order order = random_order();
  const auto s = *rc::gen::inRange<std::size_t>(0, order.size());
  const auto i = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, order[s].size()));
  const Operation removed = order[s][static_cast<std::size_t>(i)];
  order[s].erase(order[s].begin() + i);
  const auto dag = build_dag(order);
  // A backward may do without a recomputation.
  if (removed.kind == OperationKind::recompute) {
    RC_ASSERT(dag.has_value());
    return;
  }
  RC_ASSERT(!dag.has_value());
  const std::string text = dag.error().to_string();
  RC_ASSERT(text.find("stage " + std::to_string(s) + ": misses the ") != std::string::npos);
  RC_ASSERT(text.find("microbatch " + std::to_string(removed.microbatch)) != std::string::npos);
  RC_ASSERT(dag.error().problems.size() == 1U);
}

RC_GTEST_PROP(RandomOrder, NamesEachRepeatedOperation, ()) {
  Order order = random_order();
  const auto s = *rc::gen::inRange<std::size_t>(0, order.size());
  const Operation repeated = order[s][*rc::gen::inRange<std::size_t>(0, order[s].size())];
  order[s].push_back(repeated);
  const auto dag = build_dag(order);
  RC_ASSERT(!dag.has_value());
  RC_ASSERT(dag.error().problems.size() == 1U);
  RC_ASSERT(dag.error().problems[0].where ==
            "stage " + std::to_string(s) + ", instruction " + std::to_string(order[s].size() - 1));
}

RC_GTEST_PROP(Schedules, RunAsTheRulesSay, ()) {
  const int stages = *rc::gen::inRange(1, 7);
  const int microbatches = stages * *rc::gen::inRange(1, 5);
  const auto schedule =
      *rc::gen::elementOf(std::vector<std::string>{"1f1b", "gpipe", "interleaved", "zb-h1", "early-recompute"});
  const int chunks = schedule == "interleaved" ? *rc::gen::inRange(1, 5) : 1;
  const Order order = *make_order(schedule, stages, microbatches, chunks);
  const FixedTimes fixed = random_fixed_times();
  const auto dag = build_dag(order, fixed);
  RC_ASSERT(dag.has_value());
  assert_as_reference(*dag, order, fixed);
}

RC_GTEST_PROP(JoinPipelines, IsTheSlowestInAnySequence, ()) {
  std::vector<Dag> pipelines;
  std::vector<std::map<Key, double>> durations;
  std::vector<std::size_t> sequence;
  double slowest = 0;
  for (int count = *rc::gen::inRange(1, 4); count > 0; --count) {
    const Order order = random_order();
    sequence.push_back(pipelines.size());
    pipelines.push_back(*build_dag(order, random_fixed_times()));
    durations.push_back(random_durations(order));
    const auto alone = earliest_times(pipelines.back(), by_node(pipelines.back(), durations.back()));
    slowest = std::max(slowest, alone.makespan.si());
  }
  for (std::size_t i = sequence.size(); i > 1; --i) {
    std::swap(sequence[i - 1], sequence[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  std::vector<Dag> permuted;
  for (const std::size_t i : sequence) permuted.push_back(pipelines[i]);
  const Dag group = join_pipelines(permuted);
  std::vector<Seconds> times;
  for (const auto& node : group.nodes) {
    const std::size_t own = sequence[static_cast<std::size_t>(node.pipeline)];
    times.push_back(Seconds(durations[own].at({node.stage, node.operation})));
  }
  RC_ASSERT(earliest_times(group, times).makespan.si() == slowest);
}

}  // namespace
}  // namespace kareus::pipeline
