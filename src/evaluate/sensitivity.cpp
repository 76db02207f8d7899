#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "evaluate/measures.hpp"
#include "kareus/calibrate.hpp"
#include "kareus/evaluation.hpp"

namespace kareus::evaluate {
namespace {

constexpr double Headline::*kMeasures[] = {&Headline::time_reduction, &Headline::energy_reduction,
                                           &Headline::iso_time_energy, &Headline::iso_energy_time};

Result<Headline> headline(std::span<const workload::Workload> workloads, const device::DeviceDescription& device,
                          std::size_t points) {
  Headline sum;
  for (const workload::Workload& workload : workloads) {
    auto simulated = simulate_all(workload, device);
    if (!simulated) return tl::unexpected(std::move(simulated).error());
    std::vector<Points> frontiers;
    for (const Method method : {Method::megatron, Method::megatron_perseus, Method::kareus}) {
      auto frontier = frontier_of(method, workload, *simulated, points);
      if (!frontier) return tl::unexpected(std::move(frontier).error());
      frontiers.push_back(std::move(frontier->points));
    }
    const double share = 1.0 / static_cast<double>(workloads.size());
    sum.time_reduction += share * time_reduction(frontiers[2], frontiers[0]);
    sum.energy_reduction += share * energy_reduction(frontiers[2], frontiers[0]);
    sum.iso_time_energy += share * iso_time_energy(frontiers[2], frontiers[1]).value_or(0.0);
    sum.iso_energy_time += share * iso_energy_time(frontiers[2], frontiers[1]).value_or(0.0);
  }
  return sum;
}

void widen(Sensitivity& result) {
  for (const auto measure : kMeasures) {
    double below = 0.0;
    double above = 0.0;
    for (const Influence& one : result.influences) {
      const double nominal = result.nominal.*measure;
      const auto [least, most] = std::minmax({one.at_low.*measure, one.at_high.*measure, nominal});
      below += (nominal - least) * (nominal - least);
      above += (most - nominal) * (most - nominal);
    }
    result.low.*measure = result.nominal.*measure - std::sqrt(below);
    result.high.*measure = result.nominal.*measure + std::sqrt(above);
  }
}

}  // namespace

Result<Sensitivity> sensitivity(std::span<const workload::Workload> workloads, const device::DeviceDescription& device,
                                const EvaluationOptions& options) {
  Sensitivity result;
  std::vector<device::Constant> ends;  // low and high of each in turn
  for (const device::Constant& constant : device.constants) {
    if (!constant.range) continue;
    result.influences.push_back({.constant = constant.name,
                                 .low = constant.range->first,
                                 .high = constant.range->second,
                                 .at_low = {},
                                 .at_high = {}});
    for (const double value : {constant.range->first, constant.range->second}) {
      ends.push_back(constant);
      ends.back().value = value;
    }
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> error;
  std::size_t done = 0;
  const auto one = [&](std::size_t index) -> Result<Headline> {
    if (options.interrupted && options.interrupted()) {
      return fail(ErrorCode::interrupted, "stopped; the sensitivity is not kept");
    }
    if (index == ends.size()) return headline(workloads, device, options.points);
    auto changed = calibrate::with_constants(device, {ends[index]});
    if (!changed) return tl::unexpected(std::move(changed).error());
    return headline(workloads, *changed, options.points);
  };
  const auto work = [&] {
    for (std::size_t i = next++; i <= ends.size(); i = next++) {
      Result<Headline> value = one(i);
      const std::lock_guard lock(mutex);
      if (!value) {
        if (!error) error = std::move(value).error();
        next = ends.size() + 1;
        return;
      }
      if (i == ends.size()) {
        result.nominal = *value;
      } else {
        (i % 2 == 0 ? result.influences[i / 2].at_low : result.influences[i / 2].at_high) = *value;
      }
      const std::string what = i == ends.size() ? "as described" : ends[i].name;
      if (options.on_progress) options.on_progress(++done, ends.size() + 1, "sensitivity, " + what);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
    work();
  }
  if (error) return tl::unexpected(std::move(*error));
  widen(result);
  return result;
}

}  // namespace kareus::evaluate
