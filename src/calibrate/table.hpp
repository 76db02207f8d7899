#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"
#include "base/csv.hpp"

namespace kareus::calibrate {

/// A column with the bounds of values that can be meant; others are most likely in another unit.
struct Column {
  std::string name;
  Bounds<double> bounds;
  bool may_be_none = false;  ///< `none` stands for no value
};

/// The rows of a CSV file as numbers, in the order of `columns`; nothing where a cell says `none`.
struct Table {
  std::vector<std::vector<std::optional<double>>> rows;
  std::vector<int> lines;
  std::vector<std::string> texts;  ///< of the text column
};

/// Reads a table with exactly these columns (in any order) and, when `text_column` is not empty, one of text. Rows that
/// repeat another one's first `keys` columns (and text) but differ by more than a tenth in a later column contradict
/// it. Everything wrong is added to `problems`.
Table read_table(const std::filesystem::path& path, const std::vector<Column>& columns, std::string_view text_column,
                 std::size_t keys, std::size_t least_rows, std::vector<Problem>& problems);

/// Which of the rows of a table are held out of fits: a third, at random but always the same.
std::vector<bool> held_out(std::string_view table, std::size_t rows);

}  // namespace kareus::calibrate
