#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "planner/profile_input/rows.hpp"

namespace kareus::planner {
namespace {

/// Rows of the same option of the same instruction.
struct Pool {
  std::size_t rows = 0;
  Seconds longest;
  Joules mean;
  std::string where;  ///< of the second row
};

using OptionKey = std::pair<int, std::string>;  ///< negated clock (so that the highest comes first), configuration
using Pools = std::map<InstructionName, std::map<OptionKey, Pool>>;

Pools pool_rows(const ProfileRows& rows) {
  Pools pools;
  for (const ProfileRow& row : rows.rows) {
    Pool& pool = pools[row.instruction][{-row.option.clock.mhz, row.option.configuration}];
    pool.rows += 1;
    if (pool.rows == 2) pool.where = row.where;
    pool.longest = std::max(pool.longest, row.option.time);
    // A running mean stays between the values, whatever their unit.
    pool.mean += (row.option.energy - pool.mean) / static_cast<double>(pool.rows);
  }
  return pools;
}

std::string pooled_note(const ProfileRows& rows, const Pools& pools) {
  std::size_t pooled = 0;
  const Pool* first = nullptr;
  for (const auto& [instruction, options] : pools) {
    for (const auto& [key, pool] : options) {
      if (pool.rows < 2) continue;
      pooled += 1;
      if (first == nullptr) first = &pool;
    }
  }
  if (first == nullptr) return {};
  return fmt::format("{}: {} options have several rows ({}): the longest time and the mean energy of each are used",
                     first->where, pooled, rows.has_ranks ? "ranks of a stage" : "the same clock and configuration");
}

/// Higher clocks that take longer, of the same configuration.
std::string slower_clock_note(const InstructionProfile& profile) {
  std::size_t count = 0;
  std::string first;
  for (const auto& [instruction, options] : profile.instructions) {
    std::map<std::string, const ProfileOption*> higher;
    for (const ProfileOption& option : options) {
      const ProfileOption*& before = higher[option.configuration];
      if (before != nullptr && option.time < before->time) {
        count += 1;
        if (first.empty()) {
          first = fmt::format("{} takes {} s at {} MHz and {} s at {} MHz", to_string(instruction), before->time.si(),
                              before->clock.mhz, option.time.si(), option.clock.mhz);
        }
      }
      before = &option;
    }
  }
  if (count == 0) return {};
  return fmt::format("{}: {} times a higher clock is slower (first: {}); kept as measured", profile.name, count, first);
}

/// Names of stages without any row, runs of them together.
void check_stages(const ProfileRows& rows, int stages, std::vector<Problem>& problems) {
  std::set<int> seen;
  for (const ProfileRow& row : rows.rows) {
    seen.insert(row.instruction.stage);
    if (row.instruction.stage >= stages) {
      problems.push_back({row.where, fmt::format("stage {} of {} stages", row.instruction.stage, stages),
                          "stages are numbered from 0"});
    }
  }
  int next = 0;
  seen.insert(stages);
  for (const int stage : seen) {
    if (stage > stages) break;
    if (stage == next + 1) {
      problems.push_back({rows.name, fmt::format("stage {} has no rows", next), "stages are numbered from 0"});
    } else if (stage > next) {
      problems.push_back(
          {rows.name, fmt::format("stages {} to {} have no rows", next, stage - 1), "stages are numbered from 0"});
    }
    next = stage + 1;
  }
}

/// What one stage has, all must have; only recomputation may be missing in some.
void check_instructions(const InstructionProfile& profile, std::vector<Problem>& problems) {
  std::set<std::pair<int, pipeline::OperationKind>> needed;
  std::set<int> stages;
  for (const auto& [name, options] : profile.instructions) {
    stages.insert(name.stage);
    if (name.kind != pipeline::OperationKind::recompute) needed.emplace(name.chunk, name.kind);
  }
  for (const int stage : stages) {
    for (const auto& [chunk, kind] : needed) {
      const InstructionName name{stage, chunk, kind};
      if (profile.instructions.contains(name)) continue;
      problems.push_back({profile.name, fmt::format("{} has no rows, other stages have some", to_string(name)), ""});
    }
  }
  int next = 0;
  for (const auto& [chunk, kind] : needed) {
    if (chunk > next) {
      problems.push_back(
          {profile.name, fmt::format("no stage has rows of chunk {}", next), "chunks are numbered from 0"});
    }
    next = std::max(next, chunk + 1);
  }
}

}  // namespace

InstructionProfile assemble_profile(const ProfileRows& rows, std::vector<Problem>& problems) {
  InstructionProfile profile;
  profile.name = rows.name;
  profile.settings = rows.settings;
  for (const ProfileRow& row : rows.rows) {
    profile.stages = std::max(profile.stages, row.instruction.stage + 1);
    profile.chunks = std::max(profile.chunks, row.instruction.chunk + 1);
  }
  if (rows.stages) profile.stages = *rows.stages;
  if (rows.rows.empty()) {
    if (problems.empty()) problems.push_back({rows.name, "has no rows", ""});
    return profile;
  }
  const Pools pools = pool_rows(rows);
  for (const auto& [name, options] : pools) {
    for (const auto& [key, pool] : options) {
      profile.instructions[name].push_back(
          {.clock = Clock{-key.first}, .configuration = key.second, .time = pool.longest, .energy = pool.mean});
    }
  }
  // A row left out for a problem of its own would only look missing as well.
  if (problems.empty()) {
    check_stages(rows, profile.stages, problems);
    check_instructions(profile, problems);
  }
  for (std::string note : {pooled_note(rows, pools), slower_clock_note(profile)}) {
    if (!note.empty()) profile.notes.push_back(std::move(note));
  }
  return profile;
}

Result<InstructionProfile> parse_profile(std::string_view text, std::string name) {
  std::vector<Problem> problems;
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool json = start != std::string_view::npos && text[start] == '{';
  const ProfileRows rows =
      json ? read_json_rows(text, std::move(name), problems) : read_csv_rows(text, std::move(name), problems);
  InstructionProfile profile = assemble_profile(rows, problems);
  shorten(problems);
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return profile;
}

Result<InstructionProfile> read_profile(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_profile(*text, path.string());
}

}  // namespace kareus::planner
