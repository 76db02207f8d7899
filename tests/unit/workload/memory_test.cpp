#include "kareus/memory.hpp"

#include <gtest/gtest.h>

namespace kareus::workload {
namespace {

const std::filesystem::path kRoot = KAREUS_SOURCE_DIR;
constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
const Bytes kA100(40 * kGibi);

Workload named(const std::string& name) {
  return read_workload(kRoot / "workloads" / (name + ".toml")).value();
}

class Testbed : public ::testing::TestWithParam<const char*> {};

TEST_P(Testbed, Fits40Gigabytes) {
  EXPECT_EQ(memory_problem(named(GetParam()), kA100), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Ten, Testbed,
                         ::testing::Values("llama3.2-3b-tp8-mbs8-seq4096", "llama3.2-3b-cp2tp4-mbs8-seq4096",
                                           "llama3.2-3b-cp2tp4-mbs8-seq8192", "llama3.2-3b-cp2tp4-mbs16-seq4096",
                                           "qwen3-1.7b-tp8-mbs8-seq4096", "qwen3-1.7b-tp8-mbs8-seq8192",
                                           "qwen3-1.7b-tp8-mbs16-seq4096", "qwen3-1.7b-cp2tp4-mbs8-seq4096",
                                           "qwen3-1.7b-cp2tp4-mbs8-seq8192", "qwen3-1.7b-cp2tp4-mbs16-seq4096"));

TEST(Memory, LlamaWithTwiceTheTokensDoesNotFit) {
  for (const auto& [samples, sequence] : {std::pair{8, 8192}, std::pair{16, 4096}}) {
    Workload large = named("llama3.2-3b-tp8-mbs8-seq4096");
    large.microbatch_size = samples;
    large.sequence_length = sequence;
    const auto problem = memory_problem(large, kA100);
    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("on a GPU of 40 GiB"), std::string::npos) << *problem;
  }
}

TEST(Memory, PartsAreWhatTheirFormulasSay) {
  const auto stages = estimate_memory(named("llama3.2-3b-tp8-mbs8-seq4096"), false);
  ASSERT_EQ(stages.size(), 2U);
  const double tokens = 8.0 * 4096;
  const double layer = 3072.0 * (384 + 2 * 128) + 384 * 3072.0 + 3 * 3072.0 * 1024 + 2 * 3072.0;
  EXPECT_DOUBLE_EQ(stages[0].states.si(), 18 * (15 * layer + 128256.0 / 8 * 3072));
  EXPECT_DOUBLE_EQ(stages[0].checkpoints.si(), 2 * 15 * tokens * 3072 * 2);
  EXPECT_DOUBLE_EQ(stages[1].checkpoints.si(), 1 * 13 * tokens * 3072 * 2);
  EXPECT_DOUBLE_EQ(stages[0].activations.si(), tokens * (8 * 3072 + 2 * (384 + 256) + 2 * 384 + 6 * 1024));
  EXPECT_DOUBLE_EQ(stages[1].logits.si(), tokens * 128256 / 8 * 10);
  EXPECT_EQ(stages[0].logits.si(), 0);
  EXPECT_EQ(stages[0].nanobatches.si(), 0);
}

TEST(Memory, WithoutCheckpointingEveryMicrobatchInFlightKeepsItsActivations) {
  Workload workload = named("qwen3-1.7b-tp8-mbs8-seq4096");
  const auto with = estimate_memory(workload, true);
  workload.activation_checkpointing = false;
  const auto without = estimate_memory(workload, true);
  EXPECT_EQ(without[0].checkpoints.si(), 0);
  EXPECT_DOUBLE_EQ(without[0].activations.si(), 2 * with[0].activations.si());
  EXPECT_DOUBLE_EQ(without[1].activations.si(), with[1].activations.si());
}

}  // namespace
}  // namespace kareus::workload
