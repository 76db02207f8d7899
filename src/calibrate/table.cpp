#include "calibrate/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/files.hpp"
#include "base/text.hpp"

namespace kareus::calibrate {
namespace {

/// Where each column stands in the file; nothing when some are missing or unknown.
std::optional<std::vector<std::size_t>> positions(const Csv& csv, const std::vector<std::string>& wanted,
                                                  std::vector<Problem>& problems) {
  bool complete = true;
  for (const std::string& name : csv.header) {
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) continue;
    problems.push_back({csv.name, fmt::format("unknown column '{}'", name), suggestion(name, wanted)});
    complete = false;
  }
  std::vector<std::size_t> result;
  for (const std::string& name : wanted) {
    const auto found = std::find(csv.header.begin(), csv.header.end(), name);
    if (found == csv.header.end()) {
      problems.push_back({csv.name, fmt::format("no column '{}'", name), "the unit is part of the name"});
      complete = false;
    }
    result.push_back(static_cast<std::size_t>(found - csv.header.begin()));
  }
  if (!complete) return std::nullopt;
  return result;
}

std::optional<double> read_cell(const Csv& csv, const CsvCell& cell, const Column& column,
                                std::vector<Problem>& problems) {
  if (column.may_be_none && cell.text == "none") return std::nullopt;
  const auto number = parse_number(cell.text);
  if (!number) {
    problems.push_back({csv.where(cell), fmt::format("'{}' is not a number", cell.text),
                        column.may_be_none ? "write `none` where there is none" : ""});
    return 0.0;
  }
  if (*number < column.bounds.low || *number > column.bounds.high) {
    problems.push_back({csv.where(cell),
                        fmt::format("{} is out of the range of '{}', {} to {}", cell.text, column.name,
                                    column.bounds.low, column.bounds.high),
                        "is it in the unit that the column's name says?"});
  }
  return *number;
}

constexpr double kContradiction = 0.1;

void check_contradictions(const Csv& csv, const Table& table, const std::vector<Column>& columns, std::size_t keys,
                          std::vector<Problem>& problems) {
  std::map<std::string, std::size_t> first;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::string key = table.texts.empty() ? std::string() : table.texts[row];
    for (std::size_t i = 0; i < keys; ++i) {
      key += table.rows[row][i] ? fmt::format(" {}", *table.rows[row][i]) : std::string(" none");
    }
    const auto [found, is_new] = first.emplace(key, row);
    if (is_new) continue;
    for (std::size_t i = keys; i < columns.size(); ++i) {
      const double a = *table.rows[found->second][i];
      const double b = *table.rows[row][i];
      if (std::abs(a - b) <= kContradiction * std::max(std::abs(a), std::abs(b))) continue;
      problems.push_back({fmt::format("{}:{}", csv.name, table.lines[row]),
                          fmt::format("{} is {} but line {} says {} for the same configuration", columns[i].name, b,
                                      table.lines[found->second], a),
                          "remove the one that is wrong"});
    }
  }
}

}  // namespace

Table read_table(const std::filesystem::path& path, const std::vector<Column>& columns, std::string_view text_column,
                 std::size_t keys, std::size_t least_rows, std::vector<Problem>& problems) {
  Table table;
  const auto add = [&](Error error) {
    for (Problem& problem : error.problems) problems.push_back(std::move(problem));
  };
  auto text = read_file(path, 64U << 20U);
  if (!text) {
    add(std::move(text).error());
    return table;
  }
  auto csv = parse_csv(*text, path.string());
  if (!csv) {
    add(std::move(csv).error());
    return table;
  }
  std::vector<std::string> wanted;
  for (const Column& column : columns) wanted.push_back(column.name);
  if (!text_column.empty()) wanted.emplace_back(text_column);
  const auto at = positions(*csv, wanted, problems);
  if (!at) return table;
  const std::size_t before = problems.size();
  for (const std::vector<CsvCell>& cells : csv->rows) {
    std::vector<std::optional<double>> row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row.push_back(read_cell(*csv, cells[(*at)[i]], columns[i], problems));
    }
    table.rows.push_back(std::move(row));
    table.lines.push_back(cells.front().line);
    if (!text_column.empty()) table.texts.push_back(cells[at->back()].text);
  }
  if (table.rows.size() < least_rows) {
    problems.push_back({csv->name, fmt::format("has {} rows; a fit needs at least {}", table.rows.size(), least_rows),
                        "measure more configurations"});
  }
  if (problems.size() == before) check_contradictions(*csv, table, columns, keys, problems);
  return table;
}

std::vector<bool> held_out(std::string_view table, std::size_t rows) {
  std::vector<std::pair<std::uint64_t, std::size_t>> lots;
  for (std::size_t row = 0; row < rows; ++row) lots.emplace_back(derive_seed(row, table), row);
  std::sort(lots.begin(), lots.end());
  std::vector<bool> held(rows, false);
  for (std::size_t i = 0; i < rows / 3; ++i) held[lots[i].second] = true;
  return held;
}

}  // namespace kareus::calibrate
