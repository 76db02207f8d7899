#include "planner/instructions.hpp"

namespace kareus::planner {

std::vector<std::vector<schedule::Instruction>> instructions_of(const pipeline::Order& order) {
  std::vector<std::vector<schedule::Instruction>> stages;
  stages.reserve(order.size());
  for (const auto& operations : order) {
    auto& instructions = stages.emplace_back();
    instructions.reserve(operations.size());
    for (const pipeline::Operation& operation : operations) {
      const bool forward = operation.kind == pipeline::OperationKind::forward;
      KAREUS_CHECK((forward || operation.kind == pipeline::OperationKind::backward) && operation.chunk == 0);
      instructions.push_back(
          {.kind = forward ? schedule::InstructionKind::forward : schedule::InstructionKind::backward,
           .microbatch = operation.microbatch});
    }
  }
  return stages;
}

}  // namespace kareus::planner
