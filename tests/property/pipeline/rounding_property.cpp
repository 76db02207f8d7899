#include <gtest/gtest.h>

#include <functional>

#include "kareus/rounding.hpp"
#include "random_pipeline.hpp"

namespace kareus::pipeline {
namespace {

/// Least energy of real options within `limit`, by trying all of them.
double best_real_energy(const RandomPipeline& pipeline, Seconds limit) {
  double best = INFINITY;
  std::vector<Seconds> durations(pipeline.dag.nodes.size());
  const std::function<void(std::size_t, double)> choose = [&](std::size_t node, double energy) {
    if (node == durations.size()) {
      if (energy < best && earliest_times(pipeline.dag, durations).makespan <= limit) best = energy;
      return;
    }
    for (const NodeOption& option : pipeline.costs.functions[pipeline.costs.function_of[node]]) {
      durations[node] = option.time;
      choose(node + 1, energy + option.effective_energy.si());
    }
  };
  choose(0, 0);
  return best;
}

/// Time and energy of a plan, recomputed from its choices.
void check_accounts(const RandomPipeline& pipeline, const RealPlan& plan) {
  std::vector<Seconds> durations;
  double energy = 0;
  for (std::size_t node = 0; node < pipeline.dag.nodes.size(); ++node) {
    const NodeOption& option = pipeline.costs.functions[pipeline.costs.function_of[node]].at(plan.choice[node]);
    durations.push_back(option.time);
    energy += option.effective_energy.si();
  }
  RC_ASSERT(near(plan.time.si(), earliest_times(pipeline.dag, durations).makespan.si(), 1e-12));
  RC_ASSERT(near(plan.effective_energy.si(), energy));
}

RC_GTEST_PROP(RoundingProperty, LiesBetweenTheBestRealPlanAndTheBound, ()) {
  RandomPipeline pipeline = random_pipeline(*rc::gen::inRange(1, 6), 4, 12);
  add_fixed_times(pipeline, 4);
  const Curve curve = pipeline.curve();
  const Seconds time(*rc::gen::inRange(1, 60));
  const RealPlan plan = round_to_options(pipeline.dag, pipeline.costs, curve, time);
  check_accounts(pipeline, plan);
  const Seconds limit = std::max(time, curve.fastest());
  RC_ASSERT(plan.time.si() <= limit.si() + 1e-9);
  const double best = best_real_energy(pipeline, limit + Seconds(1e-9));
  RC_ASSERT(plan.effective_energy.si() >= best - 1e-9);
  RC_ASSERT(best >= curve.at(limit).si() - 1e-9);
  if (time >= curve.slowest()) RC_ASSERT(near(plan.effective_energy.si(), best));
}

RC_GTEST_PROP(RoundingProperty, LeavesNoNodeThatCouldSaveAlone, ()) {
  const RandomPipeline pipeline = random_1f1b(3, 4, 5, 30);
  const Curve curve = pipeline.curve();
  const double part = *rc::gen::inRange(0, 1000) / 1000.0;
  const Seconds time = curve.fastest() + part * (curve.slowest() - curve.fastest());
  const RealPlan plan = round_to_options(pipeline.dag, pipeline.costs, curve, time);
  check_accounts(pipeline, plan);
  std::vector<Seconds> durations;
  for (std::size_t node = 0; node < pipeline.dag.nodes.size(); ++node) {
    durations.push_back(pipeline.costs.functions[pipeline.costs.function_of[node]][plan.choice[node]].time);
  }
  for (std::size_t node = 0; node < durations.size(); ++node) {
    const auto& options = pipeline.costs.functions[pipeline.costs.function_of[node]];
    const NodeOption chosen = options[plan.choice[node]];
    for (const NodeOption& option : options) {
      if (option.effective_energy >= chosen.effective_energy) continue;
      durations[node] = option.time;
      RC_ASSERT(earliest_times(pipeline.dag, durations).makespan > time);
    }
    durations[node] = chosen.time;
  }
}

// Not every single plan is the best real one, which is NP-hard to find, but on average they must be close.
TEST(RoundingGap, IsSmallOnAverageAgainstAllRealPlans) {
  std::uint64_t state = 12345;
  const auto next = [&](int low, int high) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<int>((state >> 33) % static_cast<std::uint64_t>(high - low + 1));
  };
  double realised = 0;
  double best = 0;
  for (int trial = 0; trial < 200; ++trial) {
    RandomPipeline pipeline;
    pipeline.dag = *build_dag(one_forward_one_backward(2, 2));
    for (std::uint32_t node = 0; node < pipeline.dag.nodes.size(); ++node) {
      pipeline.costs.function_of.push_back(node % 4);
    }
    for (int f = 0; f < 4; ++f) {
      auto& options = pipeline.costs.functions.emplace_back();
      const int base = next(10, 20);
      for (int i = 0; i < 3; ++i) {  // about what clocks do: time as 1/f, energy as f^2
        const double clock = 1.0 - 0.15 * i;
        const double time = base / clock + next(0, 9) * 0.1;
        const double energy = base * 10 * clock * clock + next(0, 9) * 0.1;
        options.push_back({Seconds(time), Joules(energy)});
      }
    }
    const Curve curve = *Curve::solve(pipeline.dag, pipeline.costs);
    const Seconds time = curve.fastest() + 0.1 * next(1, 9) * (curve.slowest() - curve.fastest());
    const RealPlan plan = round_to_options(pipeline.dag, pipeline.costs, curve, time);
    realised += plan.effective_energy.si();
    best += best_real_energy(pipeline, time + Seconds(1e-9));
  }
  EXPECT_GE(realised, best - 1e-6);
  EXPECT_LE(realised / best, 1.001);
  RecordProperty("mean_gap_percent", std::to_string(100 * (realised / best - 1)));
}

/// Time of a plan with clocks that take `latency` to switch: the rules once more, without the search's machinery.
double time_with_switches(const RandomPipeline& pipeline, const std::vector<std::uint32_t>& choice,
                          const ClockModel& clocks) {
  const Dag& dag = pipeline.dag;
  const auto clock = [&](std::uint32_t node) { return clocks.clocks[pipeline.costs.function_of[node]][choice[node]]; };
  std::vector<double> end(dag.size());
  double makespan = 0;
  for (std::uint32_t node = 0; node < dag.size(); ++node) {
    double begin = 0;
    for (const Dag::Predecessor& p : dag.predecessors[node]) begin = std::max(begin, end[p.node] + p.lag.si());
    const auto& stage = dag.node_at[static_cast<std::size_t>(dag.nodes[node].stage)];
    const auto position = static_cast<std::size_t>(dag.nodes[node].position);
    if (position > 0 && clock(stage[position - 1]) != clock(node)) {
      const auto lag_of = [&](const Dag::Predecessor& p) { return p.node == stage[position - 1] ? p.lag.si() : 0.0; };
      double lag = 0;
      for (const Dag::Predecessor& p : dag.predecessors[node]) lag = std::max(lag, lag_of(p));
      begin = std::max(begin, end[stage[position - 1]] + lag + clocks.switch_latency.si());
    }
    end[node] = begin + pipeline.costs.functions[pipeline.costs.function_of[node]][choice[node]].time.si();
    double tail = dag.tail[node].si();
    if (node == stage.back() && clock(node) != clock(stage.front())) tail = std::max(tail, clocks.switch_latency.si());
    makespan = std::max(makespan, end[node] + tail);
  }
  return makespan;
}

double energy_of(const RandomPipeline& pipeline, const std::vector<std::uint32_t>& choice) {
  double sum = 0;
  for (std::size_t node = 0; node < choice.size(); ++node) {
    sum += pipeline.costs.functions[pipeline.costs.function_of[node]][choice[node]].effective_energy.si();
  }
  return sum;
}

/// About what clocks do, the same ones for every function: time as 1/f, energy as f squared.
struct Clocked {
  RandomPipeline pipeline;
  ClockModel clocks;
};
Clocked random_clocked(int stages, int microbatches, int latency_ms) {
  Clocked result;
  result.pipeline.dag = *build_dag(one_forward_one_backward(stages, microbatches));
  for (int function = 0; function < 2 * stages; ++function) {
    const int base = *rc::gen::inRange(10, 20);
    auto& options = result.pipeline.costs.functions.emplace_back();
    auto& clocks = result.clocks.clocks.emplace_back();
    for (int i = 0; i < 3; ++i) {
      const double part = 1.0 - 0.15 * i;
      options.push_back({Seconds(base / part), Joules(base * 10 * part * part + *rc::gen::inRange(0, 9))});
      clocks.push_back(Clock{1400 - 210 * i});
    }
  }
  for (const Dag::Node& node : result.pipeline.dag.nodes) {
    const bool forward = node.operation.kind == OperationKind::forward;
    result.pipeline.costs.function_of.push_back(static_cast<std::uint32_t>(2 * node.stage + (forward ? 0 : 1)));
  }
  result.clocks.switch_latency = Seconds(latency_ms * 1e-3);
  return result;
}

RC_GTEST_PROP(SwitchProperty, AccountsForEverySwitch, ()) {
  const Clocked problem = random_clocked(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 8000));
  const Curve curve = problem.pipeline.curve();
  const Seconds time = curve.fastest() + *rc::gen::inRange(0, 150) / 100.0 * (curve.slowest() - curve.fastest());
  const RealPlan plan = round_to_options(problem.pipeline.dag, problem.pipeline.costs, curve, time, problem.clocks);
  RC_ASSERT(near(plan.time.si(), time_with_switches(problem.pipeline, plan.choice, problem.clocks)));
  RC_ASSERT(near(plan.effective_energy.si(), energy_of(problem.pipeline, plan.choice)));
  const std::vector<std::uint32_t> highest(plan.choice.size(), 0);
  const double limit = std::max(time.si(), time_with_switches(problem.pipeline, highest, problem.clocks));
  RC_ASSERT(plan.time.si() <= limit * (1 + 1e-9));
}

RC_GTEST_PROP(SwitchProperty, EmitsNoSwitchThatCannotPay, ()) {
  const Clocked problem = random_clocked(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 5), *rc::gen::inRange(1, 8000));
  const RandomPipeline& pipeline = problem.pipeline;
  const Curve curve = pipeline.curve();
  const Seconds time = curve.fastest() + *rc::gen::inRange(0, 150) / 100.0 * (curve.slowest() - curve.fastest());
  const RealPlan plan = round_to_options(pipeline.dag, pipeline.costs, curve, time, problem.clocks);
  const double energy = energy_of(pipeline, plan.choice);
  // Neither another option of one node alone, nor the clock before it for a whole run, is both in time and cheaper.
  for (const auto& nodes : pipeline.dag.node_at) {
    for (std::size_t begin = 0; begin < nodes.size(); ++begin) {
      for (std::uint32_t option = 0; option < 3; ++option) {
        std::vector<std::uint32_t> other = plan.choice;
        other[nodes[begin]] = option;
        const double less = energy - energy_of(pipeline, other);
        if (less > 1e-9 * energy) RC_ASSERT(time_with_switches(pipeline, other, problem.clocks) > time.si());
      }
      if (begin == 0 || plan.choice[nodes[begin]] == plan.choice[nodes[begin - 1]]) continue;
      std::vector<std::uint32_t> other = plan.choice;
      for (std::size_t i = begin; i < nodes.size() && plan.choice[nodes[i]] == plan.choice[nodes[begin]]; ++i) {
        other[nodes[i]] = plan.choice[nodes[begin - 1]];
      }
      const bool cheaper = energy_of(pipeline, other) < energy * (1 - 1e-9);
      if (cheaper) RC_ASSERT(time_with_switches(pipeline, other, problem.clocks) > time.si());
    }
  }
}

// Two stages of two microbatches: 6561 plans, all of them tried.
TEST(SwitchGap, IsSmallOnAverageAgainstAllRealPlans) {
  std::uint64_t state = 7;
  const auto next = [&](int low, int high) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<int>((state >> 33) % static_cast<std::uint64_t>(high - low + 1));
  };
  double realised = 0;
  double best = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Clocked problem;
    RandomPipeline& pipeline = problem.pipeline;
    pipeline.dag = *build_dag(one_forward_one_backward(2, 2));
    for (std::uint32_t node = 0; node < pipeline.dag.size(); ++node) pipeline.costs.function_of.push_back(node % 4);
    for (int f = 0; f < 4; ++f) {
      const int base = next(10, 20);
      auto& options = pipeline.costs.functions.emplace_back();
      auto& clocks = problem.clocks.clocks.emplace_back();
      for (int i = 0; i < 3; ++i) {
        const double part = 1.0 - 0.15 * i;
        options.push_back({Seconds(base / part), Joules(base * 10 * part * part + next(0, 9) * 0.1)});
        clocks.push_back(Clock{1400 - 210 * i});
      }
    }
    problem.clocks.switch_latency = Seconds(next(1, 20) * 0.1);
    const Curve curve = *Curve::solve(pipeline.dag, pipeline.costs);
    const Seconds time = curve.fastest() + 0.1 * next(1, 9) * (curve.slowest() - curve.fastest());
    const RealPlan plan = round_to_options(pipeline.dag, pipeline.costs, curve, time, problem.clocks);
    double least = INFINITY;
    std::vector<std::uint32_t> choice(pipeline.dag.size(), 0);
    for (int code = 0; code < 6561; ++code) {
      for (int rest = code, node = 0; node < 8; ++node, rest /= 3) {
        choice[static_cast<std::size_t>(node)] = static_cast<std::uint32_t>(rest % 3);
      }
      const double energy = energy_of(pipeline, choice);
      if (energy < least && time_with_switches(pipeline, choice, problem.clocks) <= time.si() + 1e-9) least = energy;
    }
    ASSERT_LE(plan.time.si(), time.si() + 1e-9);
    ASSERT_GE(plan.effective_energy.si(), least - 1e-6);
    realised += plan.effective_energy.si();
    best += least;
  }
  EXPECT_LE(realised / best, 1.005);
  RecordProperty("mean_gap_percent", std::to_string(100 * (realised / best - 1)));
}

RC_GTEST_PROP(RoundFrontierProperty, IsUndominatedAndNoWorseThanSinglePlans, ()) {
  const RandomPipeline pipeline = random_1f1b(3, 4, 5, 30);
  const Curve curve = pipeline.curve();
  std::vector<Seconds> times;
  for (int i = 0; i < 8; ++i) {
    times.push_back(curve.fastest() + *rc::gen::inRange(0, 100) / 100.0 * (curve.slowest() - curve.fastest()));
  }
  const auto plans = round_frontier(pipeline.dag, pipeline.costs, curve, times);
  RC_ASSERT(!plans.empty());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    check_accounts(pipeline, plans[i]);
    if (i == 0) continue;
    RC_ASSERT(plans[i].time > plans[i - 1].time);
    RC_ASSERT(plans[i].effective_energy < plans[i - 1].effective_energy);
  }
  for (const Seconds time : times) {
    const RealPlan single = round_to_options(pipeline.dag, pipeline.costs, curve, time);
    const auto beats = [&](const RealPlan& plan) {
      return plan.time.si() <= time.si() * (1 + 1e-9) + 1e-9 &&
             plan.effective_energy.si() <= single.effective_energy.si() + 1e-9;
    };
    RC_ASSERT(std::any_of(plans.begin(), plans.end(), beats));
  }
}

}  // namespace
}  // namespace kareus::pipeline
