#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/result.hpp"

namespace kareus::device {

/// One measured configuration: cost of one execution on one GPU.
struct ReplayRow {
  std::string work;
  Clock clock;
  std::optional<schedule::PartitionConfig> config;  ///< nothing for sequential work
  Seconds time;
  Joules energy;
};

/// Measurements to replay, no two of the same configuration.
struct ReplayTable {
  std::string name;  ///< the file, for messages
  std::vector<ReplayRow> rows;
};

/// Reads a CSV file with a header line and the columns work, clock_mhz, sm_count, launch_slot, time_s, energy_j in any
/// order; more columns are ignored. SM count and launch slot are both empty for sequential work. Fields are not
/// quoted. Errors: bad_input with every problem and its line: missing columns, bad, negative or not finite numbers,
/// duplicates, no rows.
Result<ReplayTable> read_replay_table(const std::filesystem::path& path);
Result<ReplayTable> parse_replay_table(std::string_view csv, std::string name);

}  // namespace kareus::device
