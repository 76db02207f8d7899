#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "kareus/pipeline.hpp"

namespace kareus::bench {

using pipeline::NodeOption;

/// Cost functions of a pipeline: the number of stages and microbatches, then for the forward of every stage and the
/// backward of every stage the number of points, and duration (units) and effective energy (J) of each.
struct CostFile {
  int stages = 0;
  int microbatches = 0;
  std::vector<std::vector<NodeOption>> functions;  ///< forwards, then backwards
};

/// Ends the program when the file is not one. `unit`: seconds per unit of duration.
inline CostFile read_cost_file(const std::string& path, double unit) {
  std::ifstream file(path);
  CostFile costs;
  file >> costs.stages >> costs.microbatches;
  for (int i = 0; file && i < 2 * costs.stages; ++i) {
    std::size_t count = 0;
    file >> count;
    auto& function = costs.functions.emplace_back();
    for (std::size_t k = 0; file && k < count; ++k) {
      double duration = 0;
      double energy = 0;
      file >> duration >> energy;
      function.push_back({Seconds(duration * unit), Joules(energy)});
    }
  }
  if (!file) {
    std::cerr << path << ": not a file of cost functions\n";
    std::exit(3);
  }
  return costs;
}

/// Functions of `stages` stages from the file's; beyond those the file's again, each round 1.3 % slower.
inline CostFile resize(const CostFile& file, int stages) {
  CostFile result{.stages = stages, .microbatches = file.microbatches, .functions = {}};
  for (const int first : {0, file.stages}) {
    for (int stage = 0; stage < stages; ++stage) {
      auto function = file.functions[static_cast<std::size_t>(first + stage % file.stages)];
      const double slower = 1 + 0.013 * (stage / file.stages);
      for (NodeOption& option : function) option.time *= slower;
      result.functions.push_back(std::move(function));
    }
  }
  return result;
}

inline std::int64_t cpu_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

/// Of this program alone: ru_maxrss also counts what the process was before it became this program.
inline std::int64_t peak_memory_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  }
  return 0;
}

template <class T>
T value_or_exit(Result<T> result) {
  if (result) return *std::move(result);
  for (const Problem& problem : result.error().problems) std::cerr << problem.where << ": " << problem.what << '\n';
  std::exit(3);
}

}  // namespace kareus::bench
