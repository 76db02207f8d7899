#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "kareus/rounding.hpp"

namespace kareus::pipeline {

/// A pipeline of tests/data/perseus-bench: 1F1B, one function per stage and direction.
struct BenchPipeline {
  Dag dag;
  NodeCosts costs;
};

inline BenchPipeline read_bench_pipeline(const std::string& name, double unit_seconds) {
  std::ifstream file(std::string(KAREUS_TEST_DATA) + "/perseus-bench/" + name + ".fn");
  EXPECT_TRUE(file.is_open()) << name;
  int stages = 0;
  int microbatches = 0;
  file >> stages >> microbatches;
  BenchPipeline pipeline;
  for (int i = 0; i < 2 * stages; ++i) {
    int count = 0;
    file >> count;
    auto& function = pipeline.costs.functions.emplace_back();
    for (int k = 0; k < count; ++k) {
      double duration = 0;
      double energy = 0;
      file >> duration >> energy;
      function.push_back({Seconds(duration * unit_seconds), Joules(energy)});
    }
  }
  EXPECT_TRUE(file.good()) << name;
  pipeline.dag = *build_dag(one_forward_one_backward(stages, microbatches));
  for (const Dag::Node& node : pipeline.dag.nodes) {
    const bool forward = node.operation.kind == OperationKind::forward;
    pipeline.costs.function_of.push_back(static_cast<std::uint32_t>(forward ? node.stage : stages + node.stage));
  }
  return pipeline;
}

/// Rows of the reference solver: time in units, effective energy in joules.
struct ReferenceRow {
  double units = 0;
  double energy = 0;
};

inline std::vector<ReferenceRow> read_reference(const std::string& name) {
  std::ifstream file(std::string(KAREUS_TEST_DATA) + "/perseus-bench/" + name + ".frontier.csv");
  EXPECT_TRUE(file.is_open()) << name;
  std::string line;
  std::getline(file, line);
  std::vector<ReferenceRow> rows;
  while (std::getline(file, line)) {
    std::istringstream text(line);
    double iteration = 0;
    double seconds = 0;
    char comma = 0;
    ReferenceRow row;
    text >> iteration >> comma >> row.units >> comma >> seconds >> comma >> row.energy;
    EXPECT_FALSE(text.fail()) << line;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace kareus::pipeline
