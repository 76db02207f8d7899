#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {
namespace {

using schedule::Instruction;
using schedule::InstructionKind;

std::string name(Instruction instruction) {
  const char* kind = instruction.kind == InstructionKind::forward ? "forward" : "backward";
  return fmt::format("{} of microbatch {}", kind, instruction.microbatch);
}

std::string place(std::size_t stage, std::size_t position) {
  return fmt::format("stage {}, instruction {}", stage, position);
}

/// Every stage must run the forward and the backward of microbatches 0, 1, ... exactly once. One problem of each sort
/// per stage is enough to find the mistake.
std::vector<Problem> find_incomplete(const Order& order) {
  std::vector<Problem> problems;
  int last_microbatch = -1;
  for (const auto& stage : order) {
    for (const Instruction& instruction : stage) last_microbatch = std::max(last_microbatch, instruction.microbatch);
  }
  if (last_microbatch < 0) return {{.where = {}, .what = "the order has no instructions", .hint = {}}};

  for (std::size_t s = 0; s < order.size(); ++s) {
    std::map<Instruction, std::size_t> first_position;
    for (std::size_t position = 0; position < order[s].size(); ++position) {
      const Instruction instruction = order[s][position];
      if (instruction.microbatch < 0) {
        problems.push_back({place(s, position), "negative microbatch", {}});
        break;
      }
      const auto [earlier, is_new] = first_position.emplace(instruction, position);
      if (!is_new) {
        problems.push_back({place(s, position),
                            fmt::format("repeats the {} of instruction {}", name(instruction), earlier->second),
                            {}});
        break;
      }
    }
    // Stops at the first gap, so a microbatch number far too large costs nothing.
    for (int microbatch = 0; microbatch <= last_microbatch; ++microbatch) {
      const Instruction forward{InstructionKind::forward, microbatch};
      const Instruction backward{InstructionKind::backward, microbatch};
      const bool has_forward = first_position.contains(forward);
      if (has_forward && first_position.contains(backward)) continue;
      problems.push_back(
          {fmt::format("stage {}", s), fmt::format("misses the {}", name(has_forward ? backward : forward)), {}});
      break;
    }
  }
  return problems;
}

struct Place {
  std::size_t stage = 0;
  Instruction instruction;
};

/// What an instruction waits for besides the one before it on its stage: a forward for the stage above, a backward for
/// the stage below, and on the last stage for its own forward.
std::optional<Place> dependency(std::size_t stages, std::size_t stage, Instruction instruction) {
  switch (instruction.kind) {
    case InstructionKind::forward:
      if (stage == 0) return std::nullopt;
      return Place{stage - 1, instruction};
    case InstructionKind::backward:
      if (stage + 1 == stages) return Place{stage, {InstructionKind::forward, instruction.microbatch}};
      return Place{stage + 1, instruction};
  }
  return std::nullopt;
}

/// Runs the order as the pipeline would, giving nodes their numbers in the order in which they can run.
class Execution {
 public:
  explicit Execution(const Order& order) : order_(order), next_(order.size(), 0), done_(order.size()) {
    dag_.stages = static_cast<int>(order.size());
    dag_.node_at.resize(order.size());
  }

  Result<Dag> run() {
    std::deque<std::size_t> ready;
    for (std::size_t s = 0; s < order_.size(); ++s) ready.push_back(s);
    while (!ready.empty()) {
      const std::size_t stage = ready.front();
      ready.pop_front();
      if (!advance(stage)) continue;
      if (stage > 0) ready.push_back(stage - 1);
      ready.push_back(stage);
      if (stage + 1 < order_.size()) ready.push_back(stage + 1);
    }
    for (std::size_t s = 0; s < order_.size(); ++s) {
      if (next_[s] < order_[s].size()) return stuck(s);
    }
    return std::move(dag_);
  }

 private:
  bool advance(std::size_t stage) {
    const std::size_t position = next_[stage];
    if (position == order_[stage].size()) return false;
    const Instruction instruction = order_[stage][position];
    std::vector<std::uint32_t> predecessors;
    if (position > 0) predecessors.push_back(dag_.node_at[stage][position - 1]);
    if (const auto needed = dependency(order_.size(), stage, instruction)) {
      const auto found = done_[needed->stage].find(needed->instruction);
      if (found == done_[needed->stage].end()) return false;
      // On the own stage the chain implies it.
      if (needed->stage != stage) predecessors.push_back(found->second);
    }
    const auto node = static_cast<std::uint32_t>(dag_.nodes.size());
    dag_.nodes.push_back({static_cast<int>(stage), static_cast<int>(position), instruction});
    dag_.predecessors.push_back(std::move(predecessors));
    dag_.node_at[stage].push_back(node);
    done_[stage].emplace(instruction, node);
    ++next_[stage];
    return true;
  }

  tl::unexpected<Error> stuck(std::size_t stage) const {
    const Instruction instruction = order_[stage][next_[stage]];
    const auto needed = dependency(order_.size(), stage, instruction);
    KAREUS_CHECK(needed.has_value());
    return fail(ErrorCode::bad_input,
                fmt::format("the {} can never run: it waits for the {} on stage {}", name(instruction),
                            name(needed->instruction), needed->stage),
                place(stage, next_[stage]), "the orders of the stages deadlock");
  }

  const Order& order_;
  std::vector<std::size_t> next_;
  std::vector<std::map<Instruction, std::uint32_t>> done_;
  Dag dag_;
};

}  // namespace

Result<Dag> build_dag(const Order& order) {
  std::vector<Problem> problems = find_incomplete(order);
  if (!problems.empty()) return tl::unexpected(Error{.code = ErrorCode::bad_input, .problems = std::move(problems)});
  return Execution(order).run();
}

}  // namespace kareus::pipeline
