#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>

#include "random_pipeline.hpp"

namespace kareus::pipeline {
namespace {

/// Least relaxed energy for every whole iteration time, by trying every whole duration of every node. With whole-number
/// options the constraints are totally unimodular: the relaxation's optimum is reached at whole durations.
std::map<int, double> enumerate_whole_durations(const RandomPipeline& pipeline, int longest) {
  std::map<int, double> best;
  std::vector<Seconds> durations(pipeline.dag.nodes.size());
  const std::function<void(std::size_t, double)> choose = [&](std::size_t node, double energy) {
    if (std::isinf(energy)) return;
    if (node == durations.size()) {
      const int time = static_cast<int>(std::lround(earliest_times(pipeline.dag, durations).makespan.si()));
      const auto [found, is_new] = best.emplace(time, energy);
      found->second = std::min(found->second, energy);
      return;
    }
    for (int duration = 1; duration <= longest; ++duration) {
      durations[node] = Seconds(duration);
      choose(node + 1, energy + envelope(pipeline.costs.functions[node], duration));
    }
  };
  choose(0, 0);
  double least = INFINITY;
  for (auto& [time, energy] : best) energy = least = std::min(least, energy);
  return best;
}

RC_GTEST_PROP(CurveProperty, EqualsEnumerationOfWholeDurations, ()) {
  constexpr int kLongest = 5;
  RandomPipeline pipeline = random_pipeline(*rc::gen::inRange(1, 6), 4, kLongest);
  add_fixed_times(pipeline, kLongest);
  const Curve curve = pipeline.curve();
  const auto best = enumerate_whole_durations(pipeline, kLongest);
  RC_ASSERT(near(curve.fastest().si(), best.begin()->first));
  for (const auto& [time, energy] : best) RC_ASSERT(near(curve.at(Seconds(time)).si(), energy));
  for (const Breakpoint& point : curve.breakpoints()) RC_ASSERT(near(point.time.si(), std::round(point.time.si())));
}

RC_GTEST_PROP(CurveProperty, IsConvexAndDecreasingWithTheSlopesItClaims, ()) {
  RandomPipeline pipeline = random_1f1b(4, 6, 5, 40);
  add_fixed_times(pipeline, 20);
  const Curve curve = pipeline.curve();
  const auto& points = curve.breakpoints();
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    RC_ASSERT(points[i].time > points[i + 1].time);
    RC_ASSERT(points[i].effective_energy < points[i + 1].effective_energy);
    const Joules dearer = points[i + 1].effective_energy - points[i].effective_energy;
    const Watts slope = dearer / (points[i].time - points[i + 1].time);
    RC_ASSERT(near(slope.si(), points[i].slope.si()));
    if (i > 0) RC_ASSERT(points[i].slope > points[i - 1].slope);
  }
  if (points.size() > 1) RC_ASSERT(points.back().slope == points[points.size() - 2].slope);
}

RC_GTEST_PROP(CurveProperty, EveryBreakpointIsCertifiedOptimal, ()) {
  RandomPipeline pipeline = random_1f1b(4, 6, 5, 40);
  add_fixed_times(pipeline, 20);
  const Curve curve = pipeline.curve();
  RC_ASSERT(!curve.first_uncertified());
  for (std::size_t i = 0; i < curve.breakpoints().size(); ++i) {
    const Certificate certificate = curve.certify(i);
    RC_ASSERT(certificate.feasible);
    RC_ASSERT(certificate.complementary);
    RC_ASSERT(certificate.primal == certificate.dual);
    RC_ASSERT(near(certificate.primal, curve.breakpoints()[i].effective_energy.si()));
  }
}

RC_GTEST_PROP(CurveProperty, DurationsAreFeasibleAndCostWhatTheCurveSays, ()) {
  RandomPipeline pipeline = random_1f1b(4, 6, 5, 40);
  add_fixed_times(pipeline, 20);
  const Curve curve = pipeline.curve();
  const double part = *rc::gen::inRange(-100, 1100) / 1000.0;
  const Seconds time = curve.fastest() + part * (curve.slowest() - curve.fastest());
  const auto durations = curve.durations(time);
  const double allowed = std::clamp(time, curve.fastest(), curve.slowest()).si();
  RC_ASSERT(earliest_times(pipeline.dag, durations).makespan.si() <= allowed * (1 + 1e-12));
  // The smallest step below a fastest option would cost infinitely much.
  auto rounded = durations;
  for (Seconds& duration : rounded) duration = Seconds(duration.si() * (1 + 1e-13));
  RC_ASSERT(near(relaxed_energy(pipeline, rounded), curve.at(time).si()));
}

bool same_shape(const Curve& a, const Curve& b, double time_factor, double energy_factor) {
  for (int i = 0; i <= 20; ++i) {
    const Seconds time = a.fastest() + 0.05 * i * (a.slowest() - a.fastest());
    const double expected = a.at(time).si();
    const double scale = std::fabs(a.breakpoints().back().effective_energy.si()) + 1;
    if (std::fabs(b.at(time_factor * time).si() / energy_factor - expected) > 1e-8 * scale) return false;
  }
  return near(a.fastest().si(), b.fastest().si() / time_factor) &&
         near(a.slowest().si(), b.slowest().si() / time_factor);
}

RC_GTEST_PROP(CurveProperty, UnitsOfEnergyAndTimeChangeNothing, ()) {
  RandomPipeline pipeline = random_1f1b(3, 5, 5, 40);
  add_fixed_times(pipeline, 20);
  const double energy_factor = std::pow(10.0, *rc::gen::inRange(-9, 10));
  const double time_factor = std::pow(10.0, *rc::gen::inRange(-6, 7));
  RandomPipeline scaled = pipeline;
  for (auto& function : scaled.costs.functions) {
    for (NodeOption& option : function) option = {time_factor * option.time, energy_factor * option.effective_energy};
  }
  for (auto& predecessors : scaled.dag.predecessors) {
    for (Dag::Predecessor& predecessor : predecessors) predecessor.lag *= time_factor;
  }
  for (Seconds& tail : scaled.dag.tail) tail *= time_factor;
  const Curve a = pipeline.curve();
  const Curve b = scaled.curve();
  RC_ASSERT(a.breakpoints().size() == b.breakpoints().size());
  RC_ASSERT(same_shape(a, b, time_factor, energy_factor));
}

/// The same DAG with its nodes in another topological order.
RandomPipeline renumbered(const RandomPipeline& pipeline) {
  const std::size_t count = pipeline.dag.nodes.size();
  std::vector<std::uint32_t> new_number(count, 0);
  std::vector<std::uint32_t> order;
  std::vector<bool> placed(count, false);
  while (order.size() < count) {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t node = 0; node < count; ++node) {
      const auto& predecessors = pipeline.dag.predecessors[node];
      const auto is_placed = [&](const Dag::Predecessor& p) { return placed[p.node]; };
      const bool can_run = std::all_of(predecessors.begin(), predecessors.end(), is_placed);
      if (!placed[node] && can_run) ready.push_back(node);
    }
    const std::uint32_t next = *rc::gen::elementOf(ready);
    placed[next] = true;
    new_number[next] = static_cast<std::uint32_t>(order.size());
    order.push_back(next);
  }
  RandomPipeline result;
  result.costs.functions = pipeline.costs.functions;
  result.dag.nodes.resize(count);
  for (const std::uint32_t node : order) {
    result.costs.function_of.push_back(pipeline.costs.function_of[node]);
    result.dag.tail.push_back(pipeline.dag.tail[node]);
    auto& predecessors = result.dag.predecessors.emplace_back();
    for (const auto& [p, lag] : pipeline.dag.predecessors[node]) predecessors.push_back({new_number[p], lag});
  }
  return result;
}

RC_GTEST_PROP(CurveProperty, NumberingOfNodesChangesNothing, ()) {
  RandomPipeline pipeline = random_pipeline(*rc::gen::inRange(1, 12), 5, 30);
  add_fixed_times(pipeline, 20);
  RC_ASSERT(same_shape(pipeline.curve(), renumbered(pipeline).curve(), 1, 1));
}

RC_GTEST_PROP(CurveProperty, ImpliedPrecedencesChangeNothing, ()) {
  RandomPipeline pipeline = random_pipeline(*rc::gen::inRange(2, 12), 5, 30);
  add_fixed_times(pipeline, 20);
  RandomPipeline redundant = pipeline;
  for (auto& predecessors : redundant.dag.predecessors) {
    const auto direct = predecessors;
    for (const auto& [p, lag] : direct) {
      if (*rc::gen::arbitrary<bool>()) predecessors.push_back({p, lag * 0.5});
      for (const auto& [earlier, its_lag] : pipeline.dag.predecessors[p]) {
        if (*rc::gen::arbitrary<bool>()) predecessors.push_back({earlier, lag + its_lag});
      }
    }
  }
  RC_ASSERT(same_shape(pipeline.curve(), redundant.curve(), 1, 1));
}

RC_GTEST_PROP(CurveProperty, AnOperationSplitInSeriesIsTheSameOperation, ()) {
  RandomPipeline pipeline = random_pipeline(*rc::gen::inRange(1, 10), 5, 30);
  add_fixed_times(pipeline, 20);
  const auto split = static_cast<std::uint32_t>(*rc::gen::inRange<std::size_t>(0, pipeline.dag.nodes.size()));
  RandomPipeline halves = pipeline;
  for (NodeOption& option : halves.costs.functions[split]) option = {0.5 * option.time, 0.5 * option.effective_energy};
  // The second half is inserted right after the first; whoever waited for the whole waits for it.
  halves.dag.nodes.emplace_back();
  halves.costs.function_of.insert(halves.costs.function_of.begin() + split, split);
  halves.dag.tail.insert(halves.dag.tail.begin() + split, Seconds(0));
  for (auto& predecessors : halves.dag.predecessors) {
    for (auto& p : predecessors) p.node += p.node >= split ? 1 : 0;
  }
  halves.dag.predecessors.insert(halves.dag.predecessors.begin() + split + 1,
                                 std::vector<Dag::Predecessor>{{split, Seconds(0)}});
  RC_ASSERT(same_shape(pipeline.curve(), halves.curve(), 1, 1));
}

/// The same pipeline with every lag and tail as a node that has one option, free of charge.
RandomPipeline with_lags_as_nodes(const RandomPipeline& pipeline) {
  RandomPipeline result;
  result.costs.functions = pipeline.costs.functions;
  std::vector<std::uint32_t> number(pipeline.dag.size());
  const auto add = [&](std::uint32_t function, std::vector<Dag::Predecessor> predecessors) {
    const auto node = static_cast<std::uint32_t>(result.dag.nodes.size());
    result.dag.nodes.emplace_back();
    result.dag.tail.emplace_back();
    result.dag.predecessors.push_back(std::move(predecessors));
    result.costs.function_of.push_back(function);
    return node;
  };
  const auto add_fixed = [&](std::uint32_t after, Seconds time) {
    if (time == Seconds(0)) return after;
    result.costs.functions.push_back({{time, Joules(0)}});
    return add(static_cast<std::uint32_t>(result.costs.functions.size() - 1), {{after, Seconds(0)}});
  };
  for (std::uint32_t node = 0; node < pipeline.dag.size(); ++node) {
    std::vector<Dag::Predecessor> predecessors;
    for (const auto& [before, lag] : pipeline.dag.predecessors[node]) {
      predecessors.push_back({add_fixed(number[before], lag), Seconds(0)});
    }
    number[node] = add(pipeline.costs.function_of[node], std::move(predecessors));
    add_fixed(number[node], pipeline.dag.tail[node]);
  }
  return result;
}

RC_GTEST_PROP(CurveProperty, ALagIsANodeOfFixedTime, ()) {
  RandomPipeline pipeline = random_1f1b(4, 5, 5, 40);
  add_fixed_times(pipeline, 20);
  RC_ASSERT(same_shape(pipeline.curve(), with_lags_as_nodes(pipeline).curve(), 1, 1));
}

RC_GTEST_PROP(CurveProperty, StagesMaySwapFunctionsWhereTheyAreAlike, ()) {
  RandomPipeline pipeline = random_1f1b(5, 1, 5, 40);
  std::vector<std::uint32_t> functions(pipeline.costs.functions.size());
  std::iota(functions.begin(), functions.end(), 0U);
  // One microbatch passes every stage in turn: a chain, in which the place of a function does not matter.
  for (std::size_t i = functions.size(); i > 1; --i)
    std::swap(functions[i - 1], functions[*rc::gen::inRange<std::size_t>(0, i)]);
  RandomPipeline permuted = pipeline;
  for (std::uint32_t& function : permuted.costs.function_of) function = functions[function];
  RC_ASSERT(same_shape(pipeline.curve(), permuted.curve(), 1, 1));
}

RC_GTEST_PROP(CurveProperty, TheLeastSlopeCutsTheSameCurve, ()) {
  RandomPipeline pipeline = random_1f1b(4, 5, 5, 40);
  add_fixed_times(pipeline, 20);
  const Curve whole = pipeline.curve();
  const Watts least(*rc::gen::inRange(0, 400) / 20.0);
  const auto cut = Curve::solve(pipeline.dag, pipeline.costs, {.least_slope = least});
  RC_ASSERT(cut.has_value());
  const auto& points = whole.breakpoints();
  const auto kept = cut->breakpoints().size();
  RC_ASSERT(kept <= points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t dropped = points.size() - kept;
    if (i < dropped) {
      RC_ASSERT(points[i].slope < least);
    } else {
      RC_ASSERT(i + 1 == points.size() || points[i].slope >= least);
      RC_ASSERT(cut->breakpoints()[i - dropped].time == points[i].time);
      RC_ASSERT(cut->breakpoints()[i - dropped].effective_energy == points[i].effective_energy);
      RC_ASSERT(cut->certify(i - dropped).optimal());
    }
  }
}

}  // namespace
}  // namespace kareus::pipeline
