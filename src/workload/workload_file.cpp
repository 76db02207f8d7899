#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/config.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "workload/parse.hpp"

namespace kareus::workload {
namespace {

constexpr std::int64_t kMaximumDegree = 1LL << 16;
constexpr double kMaximumGpus = 1 << 22;
constexpr std::int64_t kMaximumMicrobatchSize = 1LL << 16;
constexpr std::int64_t kMaximumSequence = 1LL << 26;
constexpr std::int64_t kMaximumMicrobatches = 1LL << 20;
constexpr std::int64_t kMaximumStageLayers = 1LL << 16;
constexpr std::int64_t kLargestSuggestedDegree = 64;
constexpr std::size_t kMaximumFileBytes = 1ULL << 20;

int positive(ConfigReader& config, std::string_view key, std::int64_t maximum) {
  return static_cast<int>(config.integer(key, {1, maximum}));
}

/// A text that must say something.
std::string name_of(ConfigReader& config, const std::vector<Problem>& problems, std::string_view key,
                    std::string_view of_what) {
  const std::size_t problems_before = problems.size();
  std::string name = config.text(key);
  if (name.empty() && problems.size() == problems_before) {
    config.report(key, fmt::format("'{}' must name {}", key, of_what));
  }
  return name;
}

/// Reports under `key` that `degree` does not divide `size`, once both are known.
void require_divides(ConfigReader& config, std::string_view key, std::int64_t degree, std::int64_t size,
                     std::string_view of_what, const std::string& hint = {}) {
  if (degree < 1 || size < 1 || size % degree == 0) return;
  config.report(key, fmt::format("'{}' = {} does not divide {} {}", key, degree, size, of_what), hint);
}

/// The tensor degrees that a model allows, as far as one would use them.
std::string tensor_degrees(const ModelShape& model) {
  const std::int64_t common =
      std::gcd(std::gcd(model.heads, model.kv_heads), std::gcd(model.ffn_hidden, model.vocabulary));
  std::vector<std::string> degrees;
  for (std::int64_t degree = 1; degree <= std::min<std::int64_t>(common, kLargestSuggestedDegree); ++degree) {
    if (common % degree == 0) degrees.push_back(std::to_string(degree));
  }
  return "possible: " + join_words(degrees);
}

void read_parallelism(ConfigReader& config, Parallelism& degrees) {
  degrees.tensor = positive(config, "tensor", kMaximumDegree);
  degrees.context = positive(config, "context", kMaximumDegree);
  degrees.pipeline = positive(config, "pipeline", kMaximumDegree);
  degrees.data = positive(config, "data", kMaximumDegree);
  // In double, where the product cannot overflow.
  const double gpus = 1.0 * degrees.tensor * degrees.context * degrees.pipeline * degrees.data;
  if (gpus > kMaximumGpus) {
    config.report("", fmt::format("asks for {:.0f} GPUs; at most {:.0f} can be planned for", gpus, kMaximumGpus));
  }
}

void check_model_splits(ConfigReader& config, const Parallelism& degrees, const ModelShape& model) {
  const std::string hint = tensor_degrees(model);
  require_divides(config, "tensor", degrees.tensor, model.heads, "attention heads", hint);
  require_divides(config, "tensor", degrees.tensor, model.kv_heads, "key-value heads", hint);
  require_divides(config, "tensor", degrees.tensor, model.ffn_hidden, "feed-forward features", hint);
  require_divides(config, "tensor", degrees.tensor, model.vocabulary, "vocabulary entries", hint);
  if (degrees.pipeline > model.layers) {
    config.report("pipeline",
                  fmt::format("{} stages for {} layers leave a stage without one", degrees.pipeline, model.layers));
  }
}

void check_sequence_split(ConfigReader& config, int context, std::int64_t sequence) {
  require_divides(config, "context", context, sequence, "tokens of a sequence");
  if (context > 1 && sequence > 0 && sequence % context == 0 && sequence % (2 * std::int64_t{context}) != 0) {
    config.report("context", fmt::format("every rank takes two chunks of a sequence, and {} tokens do not make {}",
                                         sequence, 2 * context));
  }
}

/// As even as it goes, one more layer for each of the first stages that the remainder reaches.
std::vector<int> balanced_layers(std::int64_t layers, int stages) {
  std::vector<int> result(static_cast<std::size_t>(stages), static_cast<int>(layers / stages));
  for (std::int64_t i = 0; i < layers % stages; ++i) ++result[static_cast<std::size_t>(i)];
  return result;
}

/// The layers per stage as written; nothing when they are not written or not numbers.
std::optional<std::vector<int>> written_layers(ConfigReader& config, const std::vector<Problem>& problems) {
  if (!config.has("layers_per_stage")) {
    config.integer_or("layers_per_stage", 0);  // makes the key known
    return std::nullopt;
  }
  const std::size_t problems_before = problems.size();
  const std::vector<std::int64_t> layers = config.integers("layers_per_stage", {1, kMaximumStageLayers});
  if (problems.size() > problems_before) return std::nullopt;
  return std::vector<int>(layers.begin(), layers.end());
}

void check_layers(ConfigReader& config, const std::vector<int>& layers, int stages, std::int64_t model_layers) {
  if (stages > 0 && layers.size() != static_cast<std::size_t>(stages)) {
    config.report("layers_per_stage",
                  fmt::format("'layers_per_stage' has {} entries for {} pipeline stages", layers.size(), stages));
    return;
  }
  const std::int64_t sum = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
  if (model_layers > 0 && sum != model_layers) {
    config.report("layers_per_stage",
                  fmt::format("'layers_per_stage' sums to {}, the model has {} layers", sum, model_layers));
  }
}

/// The model and everything wrong with it; an Error's other code than bad_input is kept, for its exit code.
struct LoadedModel {
  ModelShape shape;  ///< all zero when it could not be read, which the checks pass over
  Error error{ErrorCode::bad_input, {}};
};

LoadedModel load(const std::filesystem::path& written, const LoadModel& load_model, const std::string& named_at) {
  LoadedModel result;
  if (written.empty()) return result;
  auto model = load_model(written);
  if (model) {
    result.shape = std::move(*model);
  } else {
    result.error = std::move(model).error();
    // Of a file that is not there, the place that names it is the one to correct.
    Problem& first = result.error.problems.front();
    if (first.hint.empty()) first.hint = "named at " + named_at;
  }
  return result;
}

}  // namespace

Result<Workload> parse_workload(std::string_view text, const std::filesystem::path& file, const LoadModel& load_model) {
  auto document = parse_toml(text, file.string());
  if (!document) return tl::unexpected(std::move(document).error());
  std::vector<Problem> problems;
  ConfigReader config(*document, problems);
  Workload workload;
  workload.name = file.stem().string();
  workload.model_path = name_of(config, problems, "model", "the model's config.json");
  const LoadedModel model = load(workload.model_path, load_model, config.where("model"));
  workload.model = model.shape;
  workload.device = name_of(config, problems, "device", "a device");
  workload.microbatch_size = positive(config, "microbatch_size", kMaximumMicrobatchSize);
  workload.sequence_length = positive(config, "sequence_length", kMaximumSequence);
  workload.microbatches = positive(config, "microbatches", kMaximumMicrobatches);
  workload.activation_checkpointing = config.boolean_or("activation_checkpointing", false);

  const auto layers = written_layers(config, problems);
  Parallelism& degrees = workload.parallelism;
  degrees.pipeline = 0;  // unknown until it is read
  if (auto table = config.table("parallelism")) {
    read_parallelism(*table, degrees);
    if (model.shape.layers > 0) check_model_splits(*table, degrees, model.shape);
    check_sequence_split(*table, degrees.context, workload.sequence_length);
    table->reject_unknown_keys();
  }
  if (layers) check_layers(config, *layers, degrees.pipeline, model.shape.layers);
  config.reject_unknown_keys();

  problems.insert(problems.end(), model.error.problems.begin(), model.error.problems.end());
  if (!problems.empty()) return tl::unexpected(Error{model.error.code, std::move(problems)});
  workload.layers_per_stage = layers ? *layers : balanced_layers(model.shape.layers, degrees.pipeline);
  return workload;
}

Result<Workload> read_workload(const std::filesystem::path& workload_toml) {
  auto text = read_file(workload_toml, kMaximumFileBytes);
  if (!text) return tl::unexpected(std::move(text).error());
  return parse_workload(*text, workload_toml, [&](const std::filesystem::path& written) {
    return read_model(workload_toml.parent_path() / written);
  });
}

}  // namespace kareus::workload
