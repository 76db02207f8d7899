// Costs of the single rooms on the inputs of real workloads, run from the checkout: build/release/bin/bench_rooms
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "device/sim/simulation.hpp"
#include "kareus/curve.hpp"
#include "kareus/device_description.hpp"
#include "kareus/pipeline.hpp"
#include "kareus/planner.hpp"

namespace {

using namespace kareus;

std::vector<pipeline::NodeOption> convex_options(std::size_t count, double slowest_s) {
  std::vector<pipeline::NodeOption> options;
  for (std::size_t i = 0; i < count; ++i) {
    const double time = slowest_s * (1.0 - 0.4 * static_cast<double>(i) / static_cast<double>(count));
    options.push_back({Seconds(time), Joules(3.0 / (time * time) * slowest_s)});
  }
  return options;
}

void solve_curve(benchmark::State& state) {
  const auto stages = static_cast<int>(state.range(0));
  const auto microbatches = static_cast<int>(state.range(1));
  const auto dag = *pipeline::build_dag(pipeline::one_forward_one_backward(stages, microbatches));
  pipeline::NodeCosts costs;
  for (int stage = 0; stage < stages; ++stage) {
    const double imbalance = 1.0 + 0.02 * stage;
    costs.functions.push_back(convex_options(18, 0.10 * imbalance));
    costs.functions.push_back(convex_options(18, 0.21 * imbalance));
  }
  for (const auto& node : dag.nodes) {
    const bool backward = node.operation.kind == pipeline::OperationKind::backward;
    costs.function_of.push_back(static_cast<std::uint32_t>(2 * node.stage + (backward ? 1 : 0)));
  }
  std::size_t breakpoints = 0;
  for (auto _ : state) breakpoints = pipeline::Curve::solve(dag, costs)->breakpoints().size();
  state.counters["breakpoints"] = static_cast<double>(breakpoints);
}
BENCHMARK(solve_curve)->Args({2, 8})->Args({8, 32})->Args({10, 128})->Unit(benchmark::kMillisecond);

/// Order and DAG alone, of half a million operations in the largest case.
void build_pipeline_dag(benchmark::State& state) {
  const auto stages = static_cast<int>(state.range(0));
  const auto microbatches = static_cast<int>(state.range(1));
  std::size_t nodes = 0;
  for (auto _ : state) {
    nodes = pipeline::build_dag(pipeline::one_forward_one_backward(stages, microbatches))->size();
  }
  state.counters["nodes"] = static_cast<double>(nodes);
}
BENCHMARK(build_pipeline_dag)->Args({8, 32})->Args({64, 4096})->Unit(benchmark::kMillisecond);

void improve_hypervolume(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  search::HypervolumeFront front({.time = 1.2, .energy = 1.2});
  for (int i = 0; i < state.range(0); ++i) {
    const double t = uniform(random);
    front.insert({.time = t, .energy = 1.0 / (1.0 + 3.0 * t)});
  }
  double t = 0.0;
  for (auto _ : state) {
    t = t < 1.0 ? t + 1e-4 : 0.0;
    benchmark::DoNotOptimize(front.improvement({.time = t, .energy = 0.9 / (1.0 + 3.0 * t)}));
  }
}
BENCHMARK(improve_hypervolume)->Arg(10)->Arg(300);

/// A partition type of a testbed workload on the A100; nothing outside the checkout.
struct ExamplePartition {
  device::DeviceDescription description;
  workload::PartitionType type;
  device::Work work;
};
std::optional<ExamplePartition> example_partition() {
  const auto workload = workload::read_workload("workloads/llama3.2-3b-tp8-mbs8-seq4096.toml");
  const auto description = device::read_description("devices/a100-sxm4-40gb.toml");
  if (!workload || !description) return std::nullopt;
  const auto type = workload::decompose(*workload, description->rates).types.front();
  return ExamplePartition{*description, type, {type.name, type.compute, type.slots, type.communication}};
}

void simulate_partition(benchmark::State& state) {
  const auto partition = example_partition();
  if (!partition) return state.SkipWithError("run it from the checkout");
  const auto& [description, type, work] = *partition;
  const device::Execution execution{Clock{1410}, schedule::PartitionConfig{SmCount{12}, type.slots[2].name}};
  for (auto _ : state) benchmark::DoNotOptimize(device::sim::simulate(description, work, execution, {}));
}
BENCHMARK(simulate_partition)->Unit(benchmark::kMicrosecond);

/// A batch of 32 of the default search on 720 configurations, of which so many are known. CPU time is of the one
/// thread.
void suggest_batch(benchmark::State& state) {
  const auto partition = example_partition();
  if (!partition) return state.SkipWithError("run it from the checkout");
  const auto& [description, type, work] = *partition;
  const planner::PartitionSpace space = planner::partition_space(type, description.info());
  constexpr double kStaticPower = 84.0;
  std::mt19937_64 random(1);
  std::vector<std::size_t> order(space.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<search::Evaluation> evaluations;
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.range(0)); ++i) {
    const auto one = device::sim::simulate(description, work, space.candidates[order[i]]);
    const double time = one->time.si();
    evaluations.push_back(
        {.candidate = order[i],
         .objectives = search::Objectives{.time = time, .energy = one->energy().si() - kStaticPower * time}});
  }
  for (auto _ : state) {
    state.PauseTiming();
    auto search = *search::make_adaptive(space.features, {.budget = 700, .static_power = kStaticPower});
    if (!search->tell(evaluations)) state.SkipWithError("the evaluations are refused");
    state.ResumeTiming();
    benchmark::DoNotOptimize(search->ask_more(32)->size());
  }
}
BENCHMARK(suggest_batch)->Arg(12)->Arg(76)->Arg(140)->Arg(204)->Unit(benchmark::kMillisecond);

}  // namespace
