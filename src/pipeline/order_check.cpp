#include "pipeline/order_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/text.hpp"
#include "pipeline/operation.hpp"

namespace kareus::pipeline {
namespace {

/// Of one stage; the rest is only counted.
constexpr std::size_t kMaximumProblems = 10;

struct Placed {
  Operation operation;
  std::size_t position = 0;
};

unsigned bit(OperationKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

/// What is missing beside the kinds present of one microbatch and chunk.
unsigned missing_beside(unsigned present) {
  using enum OperationKind;
  unsigned missing = present & bit(forward) ? 0U : bit(forward);
  if (present & bit(backward)) return missing;
  const unsigned halves = bit(input_gradient) | bit(weight_gradient);
  return missing | (present & halves ? halves & ~present : bit(backward));
}

/// Operations of one stage, checked in the order of chunks and microbatches. A key numbers the pairs of both.
class StageCheck {
 public:
  StageCheck(std::size_t stage, const std::vector<Operation>& operations, std::int64_t microbatches,
             std::int64_t chunks)
      : stage_(stage), microbatches_(microbatches), keys_(microbatches * chunks) {
    placed_.reserve(operations.size());
    for (std::size_t position = 0; position < operations.size(); ++position) {
      const Operation& operation = operations[position];
      if (operation.microbatch < 0 || operation.chunk < 0) {
        report_at(position, operation.microbatch < 0 ? "negative microbatch" : "negative chunk");
      } else {
        placed_.push_back({operation, position});
      }
    }
    std::sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) {
      const auto rank = [](const Placed& p) {
        return std::tuple(p.operation.chunk, p.operation.microbatch, p.operation.kind, p.position);
      };
      return rank(a) < rank(b);
    });
  }

  void run(std::vector<Problem>& problems) {
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < placed_.size();) {
      const std::int64_t key = key_of(placed_[i].operation);
      add_missing(expected, key, missing_beside(0));
      unsigned present = 0;
      for (; i < placed_.size() && key_of(placed_[i].operation) == key; ++i) {
        const auto& [operation, position] = placed_[i];
        if (present & bit(operation.kind)) {
          report_at(position,
                    fmt::format("repeats the {} of instruction {}", describe(operation), placed_[i - 1].position));
        }
        present |= bit(operation.kind);
      }
      refuse_whole_and_split(present, placed_[i - 1].operation);
      add_missing(key, key + 1, missing_beside(present));
      expected = key + 1;
    }
    add_missing(expected, keys_, missing_beside(0));
    flush_missing();
    std::move(problems_.begin(), problems_.end(), std::back_inserter(problems));
    if (left_out_ > 0) {
      problems.push_back({fmt::format("stage {}", stage_), fmt::format("{} more problems like these", left_out_), {}});
    }
  }

 private:
  std::int64_t key_of(const Operation& operation) const {
    return operation.chunk * microbatches_ + operation.microbatch;
  }
  std::int64_t microbatch_of(std::int64_t key) const { return key % microbatches_; }
  std::int64_t chunk_of(std::int64_t key) const { return key / microbatches_; }

  void refuse_whole_and_split(unsigned present, const Operation& any) {
    using enum OperationKind;
    if (!(present & bit(backward)) || !(present & (bit(input_gradient) | bit(weight_gradient)))) return;
    report({fmt::format("stage {}", stage_),
            fmt::format("runs the {} whole and also {} of it", describe({backward, any.microbatch, any.chunk}),
                        present & bit(input_gradient) ? "the input gradient" : "the weight gradient"),
            "use the whole backward or both of its halves"});
  }

  /// Keys [begin, end) miss these kinds; neighbours that miss the same become one problem.
  void add_missing(std::int64_t begin, std::int64_t end, unsigned kinds) {
    if (begin >= end) return;
    if (kinds != missing_kinds_ || begin != missing_end_) {
      flush_missing();
      missing_begin_ = begin;
      missing_kinds_ = kinds;
    }
    missing_end_ = end;
  }

  void flush_missing() {
    if (missing_kinds_ == 0) return;
    std::vector<std::string> kinds;
    for (unsigned kind = 0; missing_kinds_ >> kind != 0; ++kind) {
      if (missing_kinds_ >> kind & 1U) kinds.push_back("the " + spoken(static_cast<OperationKind>(kind)));
    }
    report({fmt::format("stage {}", stage_), fmt::format("misses {} of {}", join_words(kinds), missing_range()), {}});
    missing_kinds_ = 0;
  }

  std::string missing_range() const {
    const auto on_chunk = [&](std::int64_t key) {
      return keys_ == microbatches_ ? std::string{} : fmt::format(" on chunk {}", chunk_of(key));
    };
    const std::int64_t first = missing_begin_;
    const std::int64_t last = missing_end_ - 1;
    if (first == last) return fmt::format("microbatch {}{}", microbatch_of(first), on_chunk(first));
    if (chunk_of(first) == chunk_of(last)) {
      return fmt::format("microbatches {} to {}{}", microbatch_of(first), microbatch_of(last), on_chunk(first));
    }
    return fmt::format("all from microbatch {}{} to microbatch {}{}", microbatch_of(first), on_chunk(first),
                       microbatch_of(last), on_chunk(last));
  }

  void report_at(std::size_t position, std::string what) {
    report({fmt::format("stage {}, instruction {}", stage_, position), std::move(what), {}});
  }
  void report(Problem problem) {
    if (problems_.size() < kMaximumProblems) {
      problems_.push_back(std::move(problem));
    } else {
      ++left_out_;
    }
  }

  std::size_t stage_;
  std::int64_t microbatches_;
  std::int64_t keys_;
  std::vector<Placed> placed_;
  std::int64_t missing_begin_ = 0;
  std::int64_t missing_end_ = 0;
  unsigned missing_kinds_ = 0;
  std::vector<Problem> problems_;
  std::size_t left_out_ = 0;
};

}  // namespace

Result<OrderShape> check_order(const Order& order) {
  std::int64_t microbatches = 0;
  std::int64_t chunks = 0;
  for (const auto& stage : order) {
    for (const Operation& operation : stage) {
      microbatches = std::max(microbatches, std::int64_t{operation.microbatch} + 1);
      chunks = std::max(chunks, std::int64_t{operation.chunk} + 1);
    }
  }
  std::vector<Problem> problems;
  if (std::all_of(order.begin(), order.end(), [](const auto& stage) { return stage.empty(); })) {
    problems.push_back({{}, "the order has no instructions", {}});
  } else {
    for (std::size_t stage = 0; stage < order.size(); ++stage) {
      StageCheck(stage, order[stage], microbatches, chunks).run(problems);
    }
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  // A complete stage has two operations of each, so the numbers are small.
  return OrderShape{static_cast<int>(microbatches), static_cast<int>(chunks)};
}

}  // namespace kareus::pipeline
