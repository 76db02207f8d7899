#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kareus/schedule.hpp"

namespace kareus::schedule {

inline constexpr const char* kFrontierFormat = "kareus-frontier";
inline constexpr const char* kPlanFormat = "kareus-plan";
inline constexpr int kFormatVersion = 1;

/// `F3` is the forward and `B3` the backward instruction of microbatch 3.
std::string short_name(const Instruction& instruction);
/// The instruction of a short name; nothing when the text is none.
std::optional<Instruction> parse_short_name(std::string_view text);

}  // namespace kareus::schedule
