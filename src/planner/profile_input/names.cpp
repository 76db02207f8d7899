#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "planner/profile_input/rows.hpp"

namespace kareus::planner {
namespace {

using pipeline::OperationKind;

constexpr std::array kKinds{OperationKind::forward, OperationKind::backward, OperationKind::input_gradient,
                            OperationKind::weight_gradient, OperationKind::recompute};

constexpr std::array<std::pair<std::string_view, OperationKind>, 7> kOtherNames{{
    {"fwd", OperationKind::forward},
    {"bwd", OperationKind::backward},
    {"inputgradient", OperationKind::input_gradient},
    {"weightgradient", OperationKind::weight_gradient},
    {"recomputation", OperationKind::recompute},
    {"inputgrad", OperationKind::input_gradient},
    {"weightgrad", OperationKind::weight_gradient},
}};

/// Small letters without what separates words.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c != '_' && c != '-' && c != ' ') result += static_cast<char>(std::tolower(byte));
  }
  return result;
}

}  // namespace

std::optional<pipeline::OperationKind> parse_instruction(std::string_view text) {
  const std::string wanted = plain(text);
  for (const OperationKind kind : kKinds) {
    if (plain(to_string(kind)) == wanted) return kind;
  }
  for (const auto& [name, kind] : kOtherNames) {
    if (name == wanted) return kind;
  }
  return std::nullopt;
}

std::vector<std::string> instruction_names() {
  std::vector<std::string> names;
  std::transform(kKinds.begin(), kKinds.end(), std::back_inserter(names),
                 [](OperationKind kind) { return to_string(kind); });
  return names;
}

std::string to_string(const InstructionName& name) {
  std::string text = "stage " + std::to_string(name.stage);
  if (name.chunk != 0) text += " chunk " + std::to_string(name.chunk);
  return text + " " + to_string(name.kind);
}

}  // namespace kareus::planner
