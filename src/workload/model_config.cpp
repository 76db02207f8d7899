#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "workload/parse.hpp"

namespace kareus::workload {
namespace {

/// Far beyond any model, and small enough that no product of sizes overflows.
constexpr std::int64_t kMaximumSize = 1LL << 24;
constexpr std::int64_t kMaximumVocabulary = 1LL << 28;
constexpr std::int64_t kMaximumLayers = 1LL << 16;
constexpr std::size_t kMaximumConfigBytes = 1ULL << 24;

struct Architecture {
  const char* name;
  bool qk_norm;
};
constexpr std::array kArchitectures = {
    Architecture{.name = "LlamaForCausalLM", .qk_norm = false},
    Architecture{.name = "Qwen3ForCausalLM", .qk_norm = true},
};

void read_architecture(ConfigReader& config, const std::vector<Problem>& problems, ModelShape& model) {
  const std::size_t problems_before = problems.size();
  const std::vector<std::string> named = config.texts("architectures");
  if (problems.size() > problems_before) return;
  if (named.size() != 1) {
    config.report("architectures", fmt::format("must name one architecture, not {}", named.size()));
    return;
  }
  model.architecture = named.front();
  const auto known = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                  [&](const Architecture& each) { return each.name == model.architecture; });
  if (known != kArchitectures.end()) {
    model.qk_norm = known->qk_norm;
    return;
  }
  std::vector<std::string> names;
  for (const Architecture& each : kArchitectures) names.emplace_back(each.name);
  config.report("architectures", fmt::format("unknown architecture '{}'", model.architecture),
                "known: " + join_words(names));
}

void read_attention(ConfigReader& config, ModelShape& model) {
  model.hidden = config.integer("hidden_size", {1, kMaximumSize});
  model.heads = config.integer("num_attention_heads", {1, kMaximumSize});
  model.kv_heads = config.integer_or("num_key_value_heads", model.heads, {1, kMaximumSize});
  if (model.heads > 0 && model.kv_heads > 0 && model.heads % model.kv_heads != 0) {
    config.report("num_key_value_heads",
                  fmt::format("{} key-value heads do not divide {} attention heads", model.kv_heads, model.heads));
  }
  if (config.has("head_dim")) {
    model.head_dim = config.integer("head_dim", {1, kMaximumSize});
  } else if (model.hidden > 0 && model.heads > 0) {
    if (model.hidden % model.heads == 0) {
      model.head_dim = model.hidden / model.heads;
    } else {
      config.report("num_attention_heads",
                    fmt::format("{} attention heads do not divide the hidden size {}", model.heads, model.hidden),
                    "set 'head_dim' if the heads do not share the hidden size");
    }
  }
  if (model.head_dim % 2 != 0) {
    config.report(config.has("head_dim") ? "head_dim" : "",
                  fmt::format("a head dimension of {} is odd, and rotary embedding turns pairs", model.head_dim));
  }
}

/// Settings under which the operators would be other ones than those that are modelled.
void refuse_variants(ConfigReader& config) {
  const std::string activation = config.text_or("hidden_act", "silu");
  if (!activation.empty() && activation != "silu") {
    config.report("hidden_act", fmt::format("the activation '{}' is not modelled", activation),
                  "only the gated 'silu' is");
  }
  if (config.boolean_or("use_sliding_window", false)) {
    config.report("use_sliding_window", "sliding-window attention is not modelled");
  }
}

}  // namespace

Result<ModelShape> parse_model(std::string_view text, std::string name) {
  auto document = parse_json(text, std::move(name));
  if (!document) return tl::unexpected(std::move(document).error());
  std::vector<Problem> problems;
  ConfigReader config(*document, problems);
  if (!config.has("architectures") && !config.has("hidden_size")) {
    return fail(ErrorCode::bad_input,
                "is not the config.json of a model: it has neither 'architectures' nor 'hidden_size'", document->name,
                "give the config.json that is published with the model");
  }
  ModelShape model;
  read_architecture(config, problems, model);
  read_attention(config, model);
  model.ffn_hidden = config.integer("intermediate_size", {1, kMaximumSize});
  model.layers = config.integer("num_hidden_layers", {1, kMaximumLayers});
  model.vocabulary = config.integer("vocab_size", {1, kMaximumVocabulary});
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", false);
  refuse_variants(config);
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return model;
}

Result<ModelShape> read_model(const std::filesystem::path& config_json) {
  auto text = read_file(config_json, kMaximumConfigBytes);
  if (!text) return tl::unexpected(std::move(text).error());
  return parse_model(*text, config_json.string());
}

}  // namespace kareus::workload
