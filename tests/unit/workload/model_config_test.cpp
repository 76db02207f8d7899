#include <gmock/gmock.h>

#include "fixtures.hpp"
#include "workload/parse.hpp"

namespace kareus::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kMinimal = R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 1024, "num_attention_heads": 8,
  "num_hidden_layers": 4, "intermediate_size": 4096, "vocab_size": 32000})";

/// `kMinimal` with one piece of text replaced.
std::string minimal_with(const std::string& from, const std::string& to) {
  std::string text = kMinimal;
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no " + from);
  return text.replace(at, from.size(), to);
}

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> result;
  if (const auto model = parse_model(text, "config.json"); !model) {
    EXPECT_EQ(model.error().code, ErrorCode::bad_input);
    for (const Problem& problem : model.error().problems) result.push_back(problem.where + ": " + problem.what);
  }
  return result;
}

TEST(ModelConfig, ReadsThePublishedLlama3B) {
  const auto model = read_model(workloads_folder() / "models/llama3.2-3b.json");
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->architecture, "LlamaForCausalLM");
  EXPECT_EQ(model->hidden, 3072);
  EXPECT_EQ(model->heads, 24);
  EXPECT_EQ(model->kv_heads, 8);
  EXPECT_EQ(model->head_dim, 128);
  EXPECT_EQ(model->ffn_hidden, 8192);
  EXPECT_EQ(model->layers, 28);
  EXPECT_EQ(model->vocabulary, 128256);
  EXPECT_FALSE(model->qk_norm);
  EXPECT_TRUE(model->tied_embeddings);
}

TEST(ModelConfig, ReadsThePublishedQwen) {
  const auto model = read_model(workloads_folder() / "models/qwen3-1.7b.json");
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->hidden, 2048);
  EXPECT_EQ(model->heads, 16);
  EXPECT_EQ(model->kv_heads, 8);
  EXPECT_EQ(model->ffn_hidden, 6144);
  EXPECT_EQ(model->vocabulary, 151936);
  EXPECT_TRUE(model->qk_norm);
}

TEST(ModelConfig, ReadsThePublishedLlama70B) {
  const auto model = read_model(workloads_folder() / "models/llama3.3-70b.json");
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->hidden, 8192);
  EXPECT_EQ(model->heads, 64);
  EXPECT_EQ(model->ffn_hidden, 28672);
  EXPECT_EQ(model->layers, 80);
  EXPECT_FALSE(model->tied_embeddings);
}

TEST(ModelConfig, FillsInWhatOldFilesLeaveOut) {
  const auto model = parse_model(kMinimal, "config.json");
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->head_dim, 128);
  EXPECT_EQ(model->kv_heads, 8);
  EXPECT_FALSE(model->tied_embeddings);
}

TEST(ModelConfig, NamesAnUnknownArchitectureAndTheKnownOnes) {
  const auto model = parse_model(minimal_with("LlamaForCausalLM", "MambaForCausalLM"), "config.json");
  ASSERT_FALSE(model);
  ASSERT_EQ(model.error().problems.size(), 1U);
  EXPECT_EQ(model.error().problems[0].where, "config.json: /architectures");
  EXPECT_EQ(model.error().problems[0].what, "unknown architecture 'MambaForCausalLM'");
  EXPECT_EQ(model.error().problems[0].hint, "known: LlamaForCausalLM and Qwen3ForCausalLM");
}

TEST(ModelConfig, SaysThatAFileIsNoModel) {
  EXPECT_THAT(problems_of(R"({"plans": []})"), ElementsAre(HasSubstr("is not the config.json of a model")));
  EXPECT_THAT(problems_of("[1, 2]"), ElementsAre(HasSubstr("must be a JSON object")));
  EXPECT_THAT(problems_of("{\"hidden_size\": 12"), ElementsAre(HasSubstr("config.json:1:")));
}

TEST(ModelConfig, ReportsEveryProblemAtOnce) {
  EXPECT_THAT(problems_of(R"({"architectures": [], "hidden_size": -3, "num_attention_heads": "8",
                              "num_hidden_layers": 0, "intermediate_size": 2.5})"),
              ElementsAre("config.json: /architectures: must name one architecture, not 0",
                          "config.json: /hidden_size: 'hidden_size' must be from 1 to 16777216, not -3",
                          "config.json: /num_attention_heads: 'num_attention_heads' must be an integer, not a text",
                          "config.json: /intermediate_size: 'intermediate_size' must be an integer, not a number",
                          "config.json: /num_hidden_layers: 'num_hidden_layers' must be from 1 to 65536, not 0",
                          "config.json: 'vocab_size' is missing"));
}

TEST(ModelConfig, RefusesHeadsThatDoNotFit) {
  const std::string heads = "\"num_attention_heads\": 8";
  EXPECT_THAT(problems_of(minimal_with(heads, "\"num_attention_heads\": 7")),
              ElementsAre(HasSubstr("7 attention heads do not divide the hidden size 1024")));
  EXPECT_THAT(problems_of(minimal_with(heads, heads + ", \"num_key_value_heads\": 3")),
              ElementsAre(HasSubstr("3 key-value heads do not divide 8 attention heads")));
  EXPECT_THAT(problems_of(minimal_with(heads, heads + ", \"head_dim\": 33")),
              ElementsAre(HasSubstr("a head dimension of 33 is odd")));
}

TEST(ModelConfig, RefusesVariantsThatItDoesNotModel) {
  EXPECT_THAT(problems_of(minimal_with("\"hidden_size\"", "\"hidden_act\": \"relu\", \"hidden_size\"")),
              ElementsAre(HasSubstr("the activation 'relu' is not modelled")));
  EXPECT_THAT(problems_of(minimal_with("\"hidden_size\"", "\"use_sliding_window\": true, \"hidden_size\"")),
              ElementsAre(HasSubstr("sliding-window attention is not modelled")));
}

TEST(ModelConfig, SaysThatAFileIsMissing) {
  const auto model = read_model("no/such/config.json");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::bad_input);
  EXPECT_EQ(model.error().to_string(), "no/such/config.json: no such file");
}

}  // namespace
}  // namespace kareus::workload
