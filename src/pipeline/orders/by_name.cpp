#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "kareus/pipeline.hpp"

namespace kareus::pipeline {
namespace {

/// Orders larger than this are refused before memory is asked for; far beyond any training job.
constexpr std::int64_t kMaximumOperations = std::int64_t{1} << 27;

struct NamedSchedule {
  std::string_view name;
  Result<Order> (*make)(int stages, int microbatches, int chunks);
  bool takes_chunks = false;
  int operations_per_chunk = 2;  ///< of one microbatch, at most
};

constexpr std::array<NamedSchedule, 5> kSchedules{{
    {.name = "1f1b", .make = [](int s, int m, int) -> Result<Order> { return one_forward_one_backward(s, m); }},
    {.name = "gpipe", .make = [](int s, int m, int) -> Result<Order> { return gpipe(s, m); }},
    {.name = "interleaved", .make = interleaved, .takes_chunks = true},
    {.name = "zb-h1",
     .make = [](int s, int m, int) -> Result<Order> { return zero_bubble_h1(s, m); },
     .operations_per_chunk = 3},
    {.name = "early-recompute",
     .make = [](int s, int m, int) -> Result<Order> { return early_recomputation(s, m); },
     .operations_per_chunk = 3},
}};

/// True when the product of the factors, each at least 1, is beyond the limit.
bool too_large(std::initializer_list<std::int64_t> factors) {
  std::int64_t rest = kMaximumOperations;
  for (const std::int64_t factor : factors) rest /= factor;
  return rest == 0;
}

}  // namespace

Result<Order> make_order(std::string_view schedule, int stages, int microbatches, int chunks) {
  std::vector<Problem> problems;
  const NamedSchedule* chosen = nullptr;
  std::vector<std::string> names;
  for (const NamedSchedule& known : kSchedules) {
    names.emplace_back(known.name);
    if (known.name == schedule) chosen = &known;
  }
  if (chosen == nullptr) {
    problems.push_back({"schedule", fmt::format("there is no schedule '{}'; known are {}", schedule, join_words(names)),
                        suggestion(schedule, names)});
  }
  const auto at_least_one = [&](const char* what, int value) {
    if (value < 1) problems.push_back({what, fmt::format("must be at least 1, not {}", value), {}});
  };
  at_least_one("stages", stages);
  at_least_one("microbatches", microbatches);
  at_least_one("chunks", chunks);
  if (chosen != nullptr && !chosen->takes_chunks && chunks > 1) {
    problems.push_back({"chunks", fmt::format("{} runs one chunk per stage, not {}", schedule, chunks),
                        "the interleaved schedule runs several"});
  }
  if (problems.empty() && too_large({stages, microbatches, chunks, chosen->operations_per_chunk})) {
    problems.push_back({{},
                        fmt::format("{} stages x {} microbatches x {} chunks are more than {} operations", stages,
                                    microbatches, chunks, kMaximumOperations),
                        {}});
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return chosen->make(stages, microbatches, chunks);
}

}  // namespace kareus::pipeline
