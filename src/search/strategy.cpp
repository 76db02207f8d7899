#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kareus/search.hpp"

namespace kareus::search {
namespace {

std::size_t evaluations_of(const MultiPassOptions& options) {
  return options.initial + options.batches * options.batch_size;
}

/// The published sizes where the budget is one of theirs, else the shape of the largest stretched to the budget.
MultiPassOptions published_shape(std::size_t budget) {
  for (const std::size_t slots : {1, 2, 4}) {
    const MultiPassOptions options = published_sizes(slots);
    if (evaluations_of(options) == budget) return options;
  }
  MultiPassOptions options = published_sizes(4);
  options.batch_size = budget * options.batch_size / evaluations_of(options);
  options.initial = budget - options.batches * options.batch_size;
  if (options.batch_size == 0) options.batches = 0;
  return options;
}

}  // namespace

std::vector<std::string> strategy_names() {
  return {"adaptive", "kareus", "random"};
}

Result<std::unique_ptr<Optimizer>> make_strategy(const std::string& name, Space space, const StrategyOptions& options) {
  if (name == "adaptive") {
    return make_adaptive(std::move(space), {.budget = options.budget,
                                            .static_power = options.static_power,
                                            .seed = options.seed,
                                            .stop_gain = options.stop_gain,
                                            .repeats = options.repeats});
  }
  if (name == "kareus") {
    MultiPassOptions shape = published_shape(options.budget);
    shape.static_power = options.static_power;
    shape.seed = options.seed;
    return make_multi_pass(std::move(space), shape);
  }
  if (name == "random") return make_random(std::move(space), options.budget, options.seed);
  const std::vector<std::string> names = strategy_names();
  return fail(ErrorCode::usage, fmt::format("unknown strategy '{}'", name), "strategy", suggestion(name, names));
}

}  // namespace kareus::search
