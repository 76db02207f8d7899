#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/instruction_frontier.hpp"

namespace kareus::planner {

/// One measurement of one rank, with its place.
struct ProfileRow {
  InstructionName instruction;
  ProfileOption option;
  std::string where;
};

/// Rows in the order of the file, and what else it says.
struct ProfileRows {
  std::string name;
  std::vector<ProfileRow> rows;
  bool has_ranks = false;     ///< rows of the same option may be other ranks of its stage
  std::optional<int> stages;  ///< when the file states them
  InstructionProfile::Settings settings;
};

/// Largest stage, chunk and clock (MHz) that are taken for real.
inline constexpr int kMostStages = 100'000;
inline constexpr int kMostClock = 100'000;

/// `forward`, `Backward`, `fwd`, `bwd`, `input-gradient`, …
std::optional<pipeline::OperationKind> parse_instruction(std::string_view text);
/// The names to suggest for a wrong one.
std::vector<std::string> instruction_names();

/// Reads rows; problems are added to `problems`, rows that have one are left out.
ProfileRows read_csv_rows(std::string_view text, std::string name, std::vector<Problem>& problems);
ProfileRows read_json_rows(std::string_view text, std::string name, std::vector<Problem>& problems);

/// Aggregates rows of the same option and checks that no instruction is missing.
InstructionProfile assemble_profile(const ProfileRows& rows, std::vector<Problem>& problems);

}  // namespace kareus::planner
