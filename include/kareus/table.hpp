#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {

/// A search space of which every candidate was measured, for trying a search without a device.
struct Table {
  Space space;
  std::vector<std::optional<Objectives>> objectives;  ///< per candidate: seconds, dynamic joules; nothing if it failed
  std::vector<std::string> labels;                    ///< per candidate: `column=value column=value`
  double static_power = 0;                            ///< watts
  std::vector<std::string> notes;  ///< what a reader should know, such as configurations that occur more than once
};

/// Reads a CSV file (RFC 4180, first record = column names) under a TOML description of its columns:
///
///     format = "kareus-table"
///     version = 1
///     static_power_w = 85.0
///     numeric = ["comm_sm_number"]                # numeric features
///     clock = "clock_mhz"                         # optional: the one of them that is the core clock
///     failure_texts = ["failed"]                  # optional: measurements that mean a failure, besides an empty cell
///
///     [[categorical]]                             # one-hot features; several columns form one category
///     name = "window"
///     columns = ["overlap_start", "overlap_end"]
///
///     [time]                                      # repeats of the time, of which the aggregate counts
///     columns = ["time 0", "time 1"]
///     aggregate = "median"                        # or "mean"
///     factor = 1e-3                               # optional: to seconds
///
///     [energy]                                    # as for time; factor to joules of one GPU
///     columns = ["energy"]
///     kind = "total"                              # or "dynamic"; static power * time is taken off the total
///
///     [[filter]]                                  # optional: keep the rows that pass every filter
///     column = "block"
///     values = ["1024"]                           # any of these texts; or minimum and maximum of a number
///
/// Rows with equal features are one candidate: their repeats are pooled, with a note. A candidate without any
/// successful repeat of its time or of its energy has failed. Errors: bad_input with every problem found (the first
/// hundred are listed), each with its line and column.
Result<Table> read_table(const std::filesystem::path& csv, const std::filesystem::path& description);
/// The same from texts; the names are what problems are reported against.
Result<Table> parse_table(std::string_view csv, std::string csv_name, std::string_view description,
                          std::string description_name);

/// How the measurements of a replayed table vary; nothing by default.
struct TableNoise {
  double time = 0;      ///< standard deviation of a measurement, relative
  double energy = 0;    ///< the same, of total energy
  double outliers = 0;  ///< share of measurements that are off by a factor of 0.5 or 3 in time or energy
  double failures = 0;  ///< share of measurements that fail
  std::uint64_t seed = 0;
};

/// One step of a search on a table.
struct TableStep {
  Suggestion suggestion;
  std::optional<Objectives> objectives;  ///< as measured, with noise; nothing if it failed
};

/// A front that a search found, next to the true one. Volumes are of the table's values, whatever was measured.
struct TableFront {
  std::vector<std::size_t> candidates;  ///< ascending in time
  Objectives reference;                 ///< nadir of the true front plus a tenth of its range: the same for any search
  double hypervolume = 0;
  double exhaustive_hypervolume = 0;
  double ratio = 0;  ///< hypervolume / exhaustive_hypervolume, in [0, 1]
};

struct TableSearch {
  std::vector<TableStep> steps;         ///< in the order of evaluation
  TableFront total;                     ///< of what was measured, in time and total energy
  TableFront dynamic;                   ///< the same in dynamic energy
  std::vector<Estimate> estimates;      ///< as Optimizer::estimates(), at the end
  TableFront reported;                  ///< front of the estimates, in total energy
  std::vector<double> reported_ratios;  ///< ratio of the front reported after each of the wanted counts
  std::string finished;                 ///< as Optimizer::finished()
};

/// Lets a new optimiser over table.space search the table until it is finished, telling every evaluation when it is
/// made. `counts`, ascending, are numbers of evaluations after which the reported front is scored; those beyond the end
/// count the end. Errors: those of the optimiser; bad_input if nothing in the table succeeded, or nothing measured.
Result<TableSearch> search_table(const Table& table, Optimizer& optimizer, const TableNoise& noise = {},
                                 std::span<const std::size_t> counts = {});

/// Share of the exhaustive hypervolume in total energy that the first 1, 2, ... steps measured, by the table's values.
std::vector<double> anytime_ratios(const Table& table, std::span<const TableStep> steps);

}  // namespace kareus::search
