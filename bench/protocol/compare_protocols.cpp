// `bench_protocol [WORKLOAD.toml ...] [--seeds N]`: searches and protocols through the main job on the simulated
// device. Seconds of device time; measurements against the noise-free truth at each configuration's own temperature;
// and the iteration frontier, every chosen plan evaluated again without noise, against that of an exhaustive exact
// profile. Markdown on standard output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>

#include "device/sim/sim_device.hpp"
#include "exact_frontier.hpp"
#include "kareus/device_description.hpp"

namespace {

using namespace kareus;

constexpr std::size_t kPoints = 50;
constexpr std::size_t kPointsOfTruth = 200;

struct Way {
  const char* strategy;
  const char* protocol;
};
constexpr Way kWays[] = {
    {"kareus", "published"}, {"kareus", "adaptive"}, {"adaptive", "published"}, {"adaptive", "adaptive"}};

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// What one run measured, and how good it is.
struct Outcome {
  std::vector<profile::Measurement> measurements;  ///< without static power
  double seconds = 0;
  double mean_excess = 0;
  double fastest = 0;
  double least_energy = 0;
};

Result<Outcome> run(const workload::Workload& workload, const device::DeviceDescription& device, const Way& way,
                    std::uint64_t seed, const bench::Truth& truth, const std::vector<bench::ExactPoint>& best) {
  planner::Options options;
  options.seed = seed;
  options.strategy = way.strategy;
  options.points = kPoints;
  options.protocol = *profile::parse_protocol(way.protocol);
  auto store = profile::Store::open(":memory:", "bench");
  if (!store) return tl::unexpected(std::move(store).error());
  const device::OpenDevice open = [&](std::uint64_t stream) -> Result<std::unique_ptr<device::Device>> {
    return device::make_sim_device(device, stream);
  };
  const auto plan = planner::plan(workload, open, *store, options);
  if (!plan) return tl::unexpected(plan.error());
  const auto points = truth.evaluate(plan->kareus);
  if (!points) return tl::unexpected(points.error());
  Outcome outcome;
  auto all = store->measurements("");
  if (!all) return tl::unexpected(std::move(all).error());
  for (profile::Measurement& one : *all) {
    outcome.seconds += one.spent.si();
    if (one.work != "static_power") outcome.measurements.push_back(std::move(one));
  }
  const auto by_time = [](const auto& a, const auto& b) { return a.time_s < b.time_s; };
  const auto by_energy = [](const auto& a, const auto& b) { return a.energy_j < b.energy_j; };
  outcome.mean_excess = bench::mean_excess_energy(*points, best);
  outcome.fastest = std::min_element(points->begin(), points->end(), by_time)->time_s /
                        std::min_element(best.begin(), best.end(), by_time)->time_s -
                    1.0;
  outcome.least_energy = std::min_element(points->begin(), points->end(), by_energy)->energy_j /
                             std::min_element(best.begin(), best.end(), by_energy)->energy_j -
                         1.0;
  return outcome;
}

/// Relative errors of one protocol's measurements.
struct Errors {
  std::vector<double> time;
  std::vector<double> energy;
  std::map<std::string, std::vector<double>> by_configuration;  ///< of energy, one per seed
  std::vector<double> spent;
  std::size_t cut_short = 0;

  void add(const std::string& workload, const profile::Measurement& one, const profile::Measurement& exact) {
    spent.push_back(one.spent.si());
    cut_short += one.status == profile::Status::censored ? 1 : 0;
    if (!one.usable()) return;
    time.push_back(one.time / exact.time - 1.0);
    energy.push_back(one.energy / exact.energy - 1.0);
    const auto& config = one.execution.config;
    by_configuration[fmt::format("{} {} {} {} {}", workload, one.work, one.execution.clock.mhz,
                                 config ? config->sm_count.value : 0, config ? config->launch_slot : "")]
        .push_back(energy.back());
  }
  /// Of the same configuration from seed to seed.
  double repeatability() const {
    double squares = 0.0;
    double freedom = 0.0;
    for (const auto& [name, values] : by_configuration) {
      if (values.size() < 2) continue;
      const auto n = static_cast<double>(values.size() - 1);
      squares += std::pow(deviation(values), 2.0) * n;
      freedom += n;
    }
    return std::sqrt(squares / freedom);
  }
};

Result<void> compare(const std::vector<std::string>& files, std::uint64_t seeds) {
  std::map<std::string, Errors> errors;
  std::size_t replaced = 0;
  fmt::print(
      "| workload | search | protocol | measurements | device time, s | times less | energy above the best, mean | "
      "fastest point | least energy |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n");
  for (const std::string& file : files) {
    const auto workload = workload::read_workload(file);
    if (!workload) return tl::unexpected(workload.error());
    const auto device = device::read_description("devices/" + workload->device + ".toml");
    if (!device) return tl::unexpected(device.error());
    const auto all = evaluate::simulate_all(*workload, *device);
    if (!all) return tl::unexpected(all.error());
    const bench::Truth truth(*workload, *all);
    auto exhaustive = evaluate::frontier_of(evaluate::Method::kareus, *workload, *all, kPointsOfTruth);
    if (!exhaustive) return tl::unexpected(exhaustive.error());
    exhaustive->static_power_at = all->overlapped.static_power_at;
    const auto stages = exhaustive->stages;
    exhaustive = planner::with_costs(std::move(*exhaustive), stages, *workload);
    if (!exhaustive) return tl::unexpected(exhaustive.error());
    std::vector<bench::ExactPoint> best;
    for (const auto& point : exhaustive->points) best.push_back({point.time.si(), point.energy.si()});
    double published_seconds = 0.0;
    for (const Way& way : kWays) {
      std::vector<double> count, seconds, excess, fastest, least;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto outcome = run(*workload, *device, way, seed, truth, best);
        if (!outcome) return tl::unexpected(outcome.error());
        count.push_back(static_cast<double>(outcome->measurements.size()));
        seconds.push_back(outcome->seconds);
        excess.push_back(outcome->mean_excess * 100.0);
        fastest.push_back(outcome->fastest * 100.0);
        least.push_back(outcome->least_energy * 100.0);
        for (const profile::Measurement& one : outcome->measurements) {
          if (const auto* exact = truth.find(one)) errors[way.protocol].add(workload->name, one, *exact);
        }
      }
      if (published_seconds == 0.0) published_seconds = mean(seconds);
      fmt::print("| {} | {} | {} | {:.0f} | {:.0f} | {:.1f} | {:.2f}% | {:+.2f}% | {:+.2f}% |\n", workload->name,
                 way.strategy, way.protocol, mean(count), mean(seconds), published_seconds / mean(seconds),
                 mean(excess), mean(fastest), mean(least));
      std::fflush(stdout);
    }
    replaced += truth.replaced();
  }
  fmt::print(
      "\n| protocol | s per configuration | time: bias | spread | energy: bias | spread | repeated | cut short |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [protocol, one] : errors) {
    fmt::print("| {} | {:.2f} | {:+.3f}% | {:.3f}% | {:+.2f}% | {:.2f}% | {:.2f}% | {:.0f}% |\n", protocol,
               mean(one.spent), mean(one.time) * 100.0, deviation(one.time) * 100.0, mean(one.energy) * 100.0,
               deviation(one.energy) * 100.0, one.repeatability() * 100.0,
               100.0 * static_cast<double>(one.cut_short) / static_cast<double>(one.spent.size()));
  }
  fmt::print("\n{} seeds; {} schedules replaced by another of the same configurations.\n", seeds, replaced);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Compares the protocols on the simulated device");
  std::vector<std::string> files = {"workloads/llama3.2-3b-tp8-mbs8-seq4096.toml",
                                    "workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml",
                                    "workloads/llama3.2-3b-cp2tp4-mbs8-seq4096.toml"};
  std::uint64_t seeds = 3;
  program.add_option("workloads", files)->capture_default_str();
  program.add_option("--seeds", seeds)->check(CLI::Range(2, 100))->capture_default_str();
  CLI11_PARSE(program, argc, argv);
  const auto done = compare(files, seeds);
  if (!done) {
    fmt::print(stderr, "{}\n", done.error().to_string());
    return exit_code(done.error().code);
  }
  return 0;
}
