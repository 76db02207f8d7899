#include "schedule/json_names.hpp"

#include <charconv>

namespace kareus::schedule {

std::string short_name(const Instruction& instruction) {
  KAREUS_CHECK(instruction.microbatch >= 0);
  return (instruction.kind == InstructionKind::forward ? 'F' : 'B') + std::to_string(instruction.microbatch);
}

std::optional<Instruction> parse_short_name(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'F' && text[0] != 'B')) return std::nullopt;
  // A number has one spelling, so that a text read and written again stays the same.
  if (text[1] < '0' || text[1] > '9' || (text[1] == '0' && text.size() > 2)) return std::nullopt;
  Instruction instruction{.kind = text[0] == 'F' ? InstructionKind::forward : InstructionKind::backward};
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), instruction.microbatch);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return instruction;
}

}  // namespace kareus::schedule
