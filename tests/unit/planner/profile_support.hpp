#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kareus/instruction_frontier.hpp"

namespace kareus::planner {

inline std::string profile_path(const std::string& file) {
  return std::string(KAREUS_TEST_DATA) + "/instruction-profiles/" + file;
}

inline InstructionProfile test_profile(const std::string& file) {
  auto profile = read_profile(profile_path(file));
  EXPECT_TRUE(profile) << profile.error().to_string();
  return profile ? std::move(*profile) : InstructionProfile{};
}

/// What is wrong with the text of a CSV, one problem a line.
inline std::string csv_problems(const std::string& rows,
                                const std::string& header = "stage,instruction,frequency,time,energy") {
  const auto profile = parse_profile(header + "\n" + rows, "p.csv");
  return profile ? "" : profile.error().to_string();
}

inline InstructionFrontier solved(const InstructionProfile& profile, const InstructionFrontierOptions& options) {
  auto frontier = solve_instruction_frontier({profile}, options);
  EXPECT_TRUE(frontier) << frontier.error().to_string();
  return frontier ? std::move(*frontier) : InstructionFrontier{};
}

inline bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace kareus::planner
