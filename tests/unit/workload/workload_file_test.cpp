#include <gmock/gmock.h>

#include <fstream>
#include <numeric>
#include <set>

#include "fixtures.hpp"
#include "workload/parse.hpp"

namespace kareus::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kGood = R"(model = "m.json"
device = "a100-sxm4-40gb"
microbatch_size = 8
sequence_length = 4096
microbatches = 8
[parallelism]
tensor = 4
context = 2
pipeline = 3
data = 1
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no " + from);
  return text.replace(at, from.size(), to);
}

Result<Workload> parse(const std::string& text) {
  return parse_workload(text, "jobs/w.toml", [](const std::filesystem::path& written) -> Result<ModelShape> {
    EXPECT_EQ(written, "m.json");
    return small_workload(1, 1).model;
  });
}

std::vector<std::string> lines(const Error& error) {
  std::vector<std::string> result;
  for (const Problem& problem : error.problems) result.push_back(Error{error.code, {problem}}.to_string());
  return result;
}

std::vector<std::string> problems_of(const std::string& text) {
  const auto workload = parse(text);
  if (workload) return {};
  EXPECT_EQ(workload.error().code, ErrorCode::bad_input);
  return lines(workload.error());
}

TEST(WorkloadFile, ReadsEverythingAndBalancesTheLayers) {
  const auto workload = parse(kGood);
  ASSERT_TRUE(workload) << workload.error().to_string();
  EXPECT_EQ(workload->name, "w");
  EXPECT_EQ(workload->model_path, "m.json");
  EXPECT_EQ(workload->device, "a100-sxm4-40gb");
  EXPECT_EQ(workload->microbatch_size, 8);
  EXPECT_EQ(workload->sequence_length, 4096);
  EXPECT_EQ(workload->microbatches, 8);
  EXPECT_FALSE(workload->activation_checkpointing);
  EXPECT_EQ(workload->parallelism.gpus_per_stage(), 8);
  EXPECT_EQ(workload->parallelism.pipeline, 3);
  EXPECT_THAT(workload->layers_per_stage, ElementsAre(10, 9, 9));
}

TEST(WorkloadFile, TakesWrittenLayers) {
  const auto workload = parse("layers_per_stage = [8, 12, 8]\n" + kGood);
  ASSERT_TRUE(workload) << workload.error().to_string();
  EXPECT_THAT(workload->layers_per_stage, ElementsAre(8, 12, 8));
}

TEST(WorkloadFile, ReportsEveryProblemOfTheFileAtItsPlace) {
  EXPECT_THAT(
      problems_of(R"(model = "m.json"
microbatch_size = 0
sequence_lenght = 4096
  microbatches = "eight"
activation_checkpointing = 1
layers_per_stage = [15, 0]
[parallelism]
tensor = -8
context = 2
  data = 1.5
)"),
      ElementsAre("jobs/w.toml:1:1: 'device' is missing",
                  "jobs/w.toml:2:1: 'microbatch_size' must be from 1 to 65536, not 0",
                  "jobs/w.toml:1:1: 'sequence_length' is missing",
                  "jobs/w.toml:4:3: 'microbatches' must be an integer, not a text",
                  "jobs/w.toml:5:1: 'activation_checkpointing' must be true or false, not an integer",
                  "jobs/w.toml:6:25: '1' must be from 1 to 65536, not 0",
                  "jobs/w.toml:8:1: 'tensor' must be from 1 to 65536, not -8", "jobs/w.toml:7:2: 'pipeline' is missing",
                  "jobs/w.toml:10:3: 'data' must be an integer, not a number",
                  "jobs/w.toml:3:1: unknown key 'sequence_lenght' (did you mean 'sequence_length'?)"));
}

TEST(WorkloadFile, RefusesDegreesThatDoNotDivide) {
  EXPECT_THAT(problems_of(replaced(kGood, "tensor = 4", "tensor = 6")),
              ElementsAre("jobs/w.toml:7:1: 'tensor' = 6 does not divide 8 key-value heads (possible: 1, 2, 4 and 8)",
                          "jobs/w.toml:7:1: 'tensor' = 6 does not divide 8192 feed-forward features "
                          "(possible: 1, 2, 4 and 8)"));
  EXPECT_THAT(problems_of(replaced(kGood, "tensor = 4", "tensor = 16")),
              ElementsAre(HasSubstr("24 attention heads"), HasSubstr("8 key-value heads")));
  EXPECT_THAT(problems_of(replaced(kGood, "context = 2", "context = 3")),
              ElementsAre("jobs/w.toml:8:1: 'context' = 3 does not divide 4096 tokens of a sequence"));
  EXPECT_THAT(problems_of(replaced(kGood, "sequence_length = 4096", "sequence_length = 4098")),
              ElementsAre("jobs/w.toml:8:1: every rank takes two chunks of a sequence, and 4098 tokens do not make 4"));
  EXPECT_THAT(problems_of(replaced(kGood, "pipeline = 3", "pipeline = 29")),
              ElementsAre("jobs/w.toml:9:1: 29 stages for 28 layers leave a stage without one"));
}

TEST(WorkloadFile, RefusesAVocabularyThatDoesNotSplit) {
  const auto workload = parse_workload(kGood, "w.toml", [](const std::filesystem::path&) -> Result<ModelShape> {
    ModelShape model = small_workload(1, 1).model;
    model.vocabulary = 50257;
    return model;
  });
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().to_string(),
            "w.toml:7:1: 'tensor' = 4 does not divide 50257 vocabulary entries (possible: 1)");
}

TEST(WorkloadFile, RefusesLayersThatDoNotFit) {
  EXPECT_THAT(problems_of("layers_per_stage = [15, 13]\n" + kGood),
              ElementsAre("jobs/w.toml:1:1: 'layers_per_stage' has 2 entries for 3 pipeline stages"));
  EXPECT_THAT(problems_of("layers_per_stage = [15, 6, 6]\n" + kGood),
              ElementsAre("jobs/w.toml:1:1: 'layers_per_stage' sums to 27, the model has 28 layers"));
}

TEST(WorkloadFile, RefusesAJobLargerThanAnyCluster) {
  std::string text = replaced(kGood, "data = 1", "data = 65536");
  text = replaced(text, "context = 2", "context = 2048");
  EXPECT_THAT(problems_of(text),
              ElementsAre("jobs/w.toml:6:2: asks for 1610612736 GPUs; at most 4194304 can be planned for"));
}

TEST(WorkloadFile, ReportsTheModelsProblemsTogetherWithItsOwn) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kareus_workload_both_files";
  std::filesystem::create_directories(folder / "models");
  std::ofstream(folder / "models/bad.json") << R"({"architectures": ["GPT2LMHeadModel"], "hidden_size": 768,
    "num_attention_heads": 12, "num_hidden_layers": 12, "intermediate_size": 3072, "vocab_size": -1})";
  std::string text = replaced(kGood, "m.json", "models/bad.json");
  text = replaced(text, "microbatches = 8", "microbatches = 0");
  std::ofstream(folder / "w.toml") << text;

  const auto workload = read_workload(folder / "w.toml");
  ASSERT_FALSE(workload);
  const std::string model = (folder / "models/bad.json").string();
  EXPECT_THAT(lines(workload.error()),
              ElementsAre((folder / "w.toml").string() + ":5:1: 'microbatches' must be from 1 to 1048576, not 0",
                          model + ": /architectures: unknown architecture 'GPT2LMHeadModel' "
                                  "(known: LlamaForCausalLM and Qwen3ForCausalLM)",
                          model + ": /vocab_size: 'vocab_size' must be from 1 to 268435456, not -1"));
  std::filesystem::remove_all(folder);
}

TEST(WorkloadFile, SaysWhereAMissingModelIsNamed) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "kareus_workload_no_model.toml";
  std::ofstream(file) << replaced(kGood, "m.json", "absent.json");
  const auto workload = read_workload(file);
  ASSERT_FALSE(workload);
  EXPECT_THAT(lines(workload.error()), ElementsAre((file.parent_path() / "absent.json").string() +
                                                   ": no such file (named at " + file.string() + ":1:1)"));
  std::filesystem::remove(file);
}

TEST(WorkloadFile, RefusesTextThatIsNoToml) {
  EXPECT_THAT(problems_of("model = \n"), ElementsAre(HasSubstr("jobs/w.toml:1:")));
  EXPECT_THAT(problems_of(replaced(kGood, "\"m.json\"", "\"\"")),
              ElementsAre("jobs/w.toml:1:1: 'model' must name the model's config.json"));
}

TEST(WorkloadFile, EveryShippedFileLoads) {
  const std::vector<std::string> all = shipped_workload_names();
  EXPECT_EQ(all.size(), 14U);
  std::set<std::string> hashes;
  for (const std::string& name : all) {
    const auto workload = read_workload(workloads_folder() / (name + ".toml"));
    ASSERT_TRUE(workload) << workload.error().to_string();
    EXPECT_EQ(workload->name, name);
    EXPECT_EQ(workload->device, "a100-sxm4-40gb");
    EXPECT_TRUE(workload->activation_checkpointing);
    EXPECT_EQ(workload->parallelism.gpus_per_stage(), 8);
    EXPECT_TRUE(hashes.insert(workload->hash()).second) << name;
    const auto& degrees = workload->parallelism;
    if (workload->model.layers == 80) {
      EXPECT_EQ(degrees.pipeline, 10);
      EXPECT_EQ(workload->microbatches * degrees.data, 2048);
      EXPECT_EQ(workload->layers_per_stage, std::vector<int>(10, 8));
    } else {
      EXPECT_EQ(degrees.pipeline * degrees.data, 2);
      EXPECT_EQ(workload->microbatches, 8);
      EXPECT_THAT(workload->layers_per_stage, ElementsAre(15, 13));
    }
    const std::string size =
        "-mbs" + std::to_string(workload->microbatch_size) + "-seq" + std::to_string(workload->sequence_length);
    const std::string split = degrees.context > 1 ? "-cp2tp4" : "-tp8";
    EXPECT_THAT(name, workload->model.layers == 80 ? HasSubstr("mb" + std::to_string(workload->microbatches))
                                                   : HasSubstr(split + size));
  }
}

TEST(WorkloadHash, ChangesWithEverythingThatIsMeasured) {
  const Workload original = small_workload(4, 2);
  std::vector<Workload> variants(20, original);
  variants[0].model.hidden = 2048;
  variants[1].model.heads = 16;
  variants[2].model.kv_heads = 4;
  variants[3].model.head_dim = 64;
  variants[4].model.ffn_hidden = 6144;
  variants[5].model.layers = 32;
  variants[6].model.vocabulary = 32000;
  variants[7].model.qk_norm = true;
  variants[8].parallelism.tensor = 8;
  variants[9].parallelism.context = 1;
  variants[10].parallelism.pipeline = 4;
  variants[11].parallelism.data = 2;
  variants[12].microbatch_size = 8;
  variants[13].sequence_length = 8192;
  variants[14].microbatches = 16;
  variants[15].activation_checkpointing = true;
  variants[16].layers_per_stage = {15, 13};
  variants[17].device = "a40";
  variants[18].model.architecture = "Qwen3ForCausalLM";
  variants[19].model.tied_embeddings = false;
  std::set<std::string> hashes{original.hash()};
  for (const Workload& variant : variants) EXPECT_TRUE(hashes.insert(variant.hash()).second);
}

TEST(WorkloadHash, IsAnIdentityOfContentAndNotOfNames) {
  Workload workload = small_workload(4, 2);
  const std::string hash = workload.hash();
  workload.name = "renamed";
  workload.model_path = "elsewhere/config.json";
  EXPECT_EQ(workload.hash(), hash);
  EXPECT_THAT(hash, ::testing::MatchesRegex("[0-9a-f]{16}"));
}

}  // namespace
}  // namespace kareus::workload
