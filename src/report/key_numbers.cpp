#include "report/key_numbers.hpp"

#include <algorithm>

namespace kareus::report {
namespace {

using schedule::FrontierFile;
using schedule::FrontierPoint;

/// Two values of the same schedule may differ by rounding; that must not decide whether one is within the other.
constexpr double kRounding = 1e-9;

double energy_of(const FrontierFile& file, std::size_t point) {
  return schedule::job_energy(file, file.points[point].energy).si();
}

std::size_t fastest(const FrontierFile& file) {
  const auto earlier = [](const FrontierPoint& a, const FrontierPoint& b) { return a.time < b.time; };
  return static_cast<std::size_t>(std::min_element(file.points.begin(), file.points.end(), earlier) -
                                  file.points.begin());
}

std::size_t cheapest(const FrontierFile& file) {
  const auto cheaper = [](const FrontierPoint& a, const FrontierPoint& b) { return a.energy < b.energy; };
  return static_cast<std::size_t>(std::min_element(file.points.begin(), file.points.end(), cheaper) -
                                  file.points.begin());
}

std::optional<FrontierComparison> compare_at_equal_time(const FrontierFile& ours, const FrontierFile& baseline) {
  const std::size_t reference = fastest(baseline);
  const Seconds limit = baseline.points[reference].time * (1 + kRounding);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ours.points.size(); ++i) {
    if (ours.points[i].time > limit) continue;
    if (!best || ours.points[i].energy < ours.points[*best].energy) best = i;
  }
  if (!best) return std::nullopt;
  return FrontierComparison{*best, reference, 1 - energy_of(ours, *best) / energy_of(baseline, reference)};
}

std::optional<FrontierComparison> compare_at_equal_energy(const FrontierFile& ours, const FrontierFile& baseline) {
  const std::size_t reference = cheapest(baseline);
  const double limit = energy_of(baseline, reference) * (1 + kRounding);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ours.points.size(); ++i) {
    if (energy_of(ours, i) > limit) continue;
    if (!best || ours.points[i].time < ours.points[*best].time) best = i;
  }
  if (!best) return std::nullopt;
  return FrontierComparison{*best, reference, 1 - ours.points[*best].time / baseline.points[reference].time};
}

}  // namespace

const FrontierFile* find_baseline(const ReportInput& input, std::string_view method) {
  for (const FrontierFile& file : input.baselines) {
    if (file.provenance.method == method && !file.points.empty()) return &file;
  }
  return nullptr;
}

KeyNumbers key_numbers(const ReportInput& input) {
  KeyNumbers numbers;
  const FrontierFile& ours = input.kareus;
  if (ours.points.empty()) return numbers;
  if (const FrontierFile* megatron = find_baseline(input, "megatron")) {
    const std::size_t point = fastest(ours);
    const std::size_t reference = fastest(*megatron);
    numbers.fastest = FastestComparison{.point = point,
                                        .time_change = ours.points[point].time / megatron->points[reference].time - 1,
                                        .energy_change = energy_of(ours, point) / energy_of(*megatron, reference) - 1};
  }
  if (const FrontierFile* perseus = find_baseline(input, "megatron-perseus")) {
    numbers.equal_time = compare_at_equal_time(ours, *perseus);
    numbers.equal_energy = compare_at_equal_energy(ours, *perseus);
  }
  return numbers;
}

}  // namespace kareus::report
