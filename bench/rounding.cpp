// `bench_rounding POINTS FRONTIER.json...`: rounds the iteration frontier of finished runs again and says how far the
// realised points are above the bound, per cent of total energy: at their own times (largest, mean), and where the next
// faster point has to serve (staircase: just before the next point; so it falls with more points). CPU time of curve
// and rounding together.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "kareus/planner.hpp"
#include "kareus/schedule.hpp"
#include "kareus/workload.hpp"

int main(int argc, char** argv) {
  using namespace kareus;
  const std::size_t points = argc > 1 ? std::stoul(argv[1]) : 0;
  fmt::print("{:<40} {:>7} {:>9} {:>9} {:>9} {:>8}\n", "workload", "points", "max %", "mean %", "stair %", "CPU s");
  for (int i = 2; i < argc; ++i) {
    auto file = schedule::read_frontier(argv[i]);
    if (!file) {
      fmt::print(stderr, "{}\n", file.error().to_string());
      return 1;
    }
    workload::Workload workload;
    workload.microbatches = static_cast<int>(file->order[0].size() / 2);
    const std::clock_t before = std::clock();
    const auto result =
        planner::iteration_frontier(file->stages, workload, file->static_power, points, file->provenance);
    const double cpu = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (!result) {
      fmt::print(stderr, "{}\n", result.error().to_string());
      return 1;
    }
    double largest = 0;
    double sum = 0;
    double stair = 0;
    const auto& realised = result->points;
    for (std::size_t p = 0; p < realised.size(); ++p) {
      const double gap = realised[p].energy / realised[p].bound - 1;
      largest = std::max(largest, gap);
      sum += gap;
      if (p > 0) stair = std::max(stair, realised[p - 1].energy / realised[p].bound - 1);
    }
    fmt::print("{:<40} {:>7} {:>9.3f} {:>9.3f} {:>9.3f} {:>8.2f}\n", file->provenance.workload, realised.size(),
               100 * largest, 100 * sum / static_cast<double>(realised.size()), 100 * stair, cpu);
  }
  return 0;
}
