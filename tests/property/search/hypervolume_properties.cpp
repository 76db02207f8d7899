#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {
namespace {

constexpr int kSide = 8;

/// Points of a lattice that reaches over the reference on all sides: ties and duplicates abound.
std::vector<Objectives> lattice_points() {
  std::vector<Objectives> points;
  for (const auto& [x, y] : *rc::gen::container<std::vector<std::pair<int, int>>>(
           rc::gen::pair(rc::gen::inRange(-1, kSide + 2), rc::gen::inRange(-1, kSide + 2)))) {
    points.push_back({static_cast<double>(x), static_cast<double>(y)});
  }
  return points;
}

bool dominates(Objectives a, Objectives b) {
  return a.time <= b.time && a.energy <= b.energy && (a.time < b.time || a.energy < b.energy);
}

/// Counts the dominated unit cells below (kSide, kSide).
double brute_force_volume(const std::vector<Objectives>& points) {
  int cells = 0;
  for (int x = -1; x < kSide; ++x) {
    for (int y = -1; y < kSide; ++y) {
      cells += std::any_of(points.begin(), points.end(), [&](Objectives p) { return p.time <= x && p.energy <= y; });
    }
  }
  return cells;
}

RC_GTEST_PROP(Hypervolume, EqualsTheNumberOfDominatedCells, ()) {
  const auto points = lattice_points();
  RC_ASSERT(hypervolume(points, {kSide, kSide}) == brute_force_volume(points));
}

RC_GTEST_PROP(Hypervolume, ImprovementIsTheDifferenceOfVolumes, ()) {
  auto points = lattice_points();
  const HypervolumeFront front({kSide, kSide}, points);
  for (int x = -1; x < kSide + 2; ++x) {
    for (int y = -1; y < kSide + 2; ++y) {
      const Objectives candidate{static_cast<double>(x), static_cast<double>(y)};
      points.push_back(candidate);
      RC_ASSERT(front.improvement(candidate) == hypervolume(points, {kSide, kSide}) - front.volume());
      points.pop_back();
    }
  }
}

RC_GTEST_PROP(Hypervolume, InsertingOneByOneGivesTheSameFront, ()) {
  const auto points = lattice_points();
  HypervolumeFront grown({kSide, kSide});
  for (const Objectives point : points) {
    const double expected = grown.volume() + grown.improvement(point);
    grown.insert(point);
    RC_ASSERT(grown.volume() == expected);
  }
  const HypervolumeFront whole({kSide, kSide}, points);
  RC_ASSERT(grown.points().size() == whole.points().size());
  for (std::size_t i = 0; i < whole.points().size(); ++i) {
    RC_ASSERT(grown.points()[i].time == whole.points()[i].time);
    RC_ASSERT(grown.points()[i].energy == whole.points()[i].energy);
    if (i > 0) RC_ASSERT(whole.points()[i - 1].time < whole.points()[i].time);
    if (i > 0) RC_ASSERT(whole.points()[i - 1].energy > whole.points()[i].energy);
  }
}

RC_GTEST_PROP(Hypervolume, ImprovementHoldsForRealNumbers, ()) {
  const auto real = rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int v) { return v * 1.7e-5; });
  std::vector<Objectives> points;
  for (const auto& [x, y] : *rc::gen::container<std::vector<std::pair<double, double>>>(rc::gen::pair(real, real))) {
    points.push_back({x, y});
  }
  const Objectives candidate{*real, *real};
  const Objectives reference{12.0, 9.0};
  const HypervolumeFront front(reference, points);
  const double improvement = front.improvement(candidate);
  points.push_back(candidate);
  RC_ASSERT(std::abs(improvement - (hypervolume(points, reference) - front.volume())) < 1e-9);
}

RC_GTEST_PROP(ParetoFront, HoldsExactlyTheFirstOfEveryUndominatedValue, ()) {
  const auto points = lattice_points();
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool keep = true;
    for (std::size_t j = 0; j < points.size(); ++j) {
      const bool equal = points[i].time == points[j].time && points[i].energy == points[j].energy;
      if (dominates(points[j], points[i]) || (equal && j < i)) keep = false;
    }
    if (keep) expected.push_back(i);
  }
  std::sort(expected.begin(), expected.end(), [&](auto a, auto b) { return points[a].time < points[b].time; });
  RC_ASSERT(pareto_front(points) == expected);
}

}  // namespace
}  // namespace kareus::search
