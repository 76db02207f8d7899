#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "planner/profile_input/rows.hpp"

namespace kareus::planner {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

/// Where the columns are that mean something; all others are configuration.
struct Columns {
  std::size_t stage = kAbsent;
  std::size_t instruction = kAbsent;
  std::size_t frequency = kAbsent;
  std::size_t time = kAbsent;
  std::size_t energy = kAbsent;
  std::size_t chunk = kAbsent;
  std::vector<std::size_t> ranks;
  std::vector<std::size_t> configuration;
};

Columns find_columns(const Csv& csv, std::vector<Problem>& problems) {
  Columns columns;
  const std::array<std::pair<std::string, std::size_t*>, 6> known{{{"stage", &columns.stage},
                                                                   {"instruction", &columns.instruction},
                                                                   {"frequency", &columns.frequency},
                                                                   {"time", &columns.time},
                                                                   {"energy", &columns.energy},
                                                                   {"chunk", &columns.chunk}}};
  static const std::vector<std::string> kRanks{"rank", "dp_rank", "pp_rank", "tp_rank"};
  for (std::size_t i = 0; i < csv.header.size(); ++i) {
    const auto column =
        std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.first == csv.header[i]; });
    if (column != known.end()) {
      *column->second = i;
    } else if (std::find(kRanks.begin(), kRanks.end(), csv.header[i]) != kRanks.end()) {
      columns.ranks.push_back(i);
    } else {
      columns.configuration.push_back(i);
    }
  }
  std::vector<std::string> others;
  for (const std::size_t i : columns.configuration) others.push_back(csv.header[i]);
  for (const auto& [name, place] : known) {
    if (*place != kAbsent || place == &columns.chunk) continue;
    problems.push_back({csv.name, fmt::format("there is no column '{}'", name), suggestion(name, others)});
  }
  return columns;
}

class CsvRows {
 public:
  CsvRows(const Csv& csv, const Columns& columns, std::vector<Problem>& problems)
      : csv_(csv), columns_(columns), problems_(problems) {}

  std::optional<ProfileRow> read(const std::vector<CsvCell>& cells) {
    const auto stage = whole(cells[columns_.stage], "stage", 0, kMostStages - 1);
    const auto chunk =
        columns_.chunk == kAbsent ? std::optional<int>(0) : whole(cells[columns_.chunk], "chunk", 0, kMostStages - 1);
    const auto kind = instruction(cells[columns_.instruction]);
    const auto clock = whole(cells[columns_.frequency], "frequency", 1, kMostClock);
    const auto time = positive(cells[columns_.time], "time");
    const auto energy = positive(cells[columns_.energy], "energy");
    if (!stage || !chunk || !kind || !clock || !time || !energy) return std::nullopt;
    return ProfileRow{.instruction = {*stage, *chunk, *kind},
                      .option = {.clock = Clock{*clock},
                                 .configuration = configuration(cells),
                                 .time = Seconds(*time),
                                 .energy = Joules(*energy)},
                      .where = csv_.where(cells.front())};
  }

 private:
  void report(const CsvCell& cell, std::string what, std::string hint = {}) {
    problems_.push_back({csv_.where(cell), std::move(what), std::move(hint)});
  }

  std::optional<double> positive(const CsvCell& cell, std::string_view column) {
    const auto value = parse_number(cell.text);
    if (value && *value > 0) return value;
    report(cell, fmt::format("'{}' must be a positive finite number, not '{}'", column, cell.text));
    return std::nullopt;
  }

  std::optional<int> whole(const CsvCell& cell, std::string_view column, int low, int high) {
    const auto value = parse_number(cell.text);
    if (value && *value >= low && *value <= high && *value == std::floor(*value)) return static_cast<int>(*value);
    report(cell, fmt::format("'{}' must be a whole number from {} to {}, not '{}'", column, low, high, cell.text));
    return std::nullopt;
  }

  std::optional<pipeline::OperationKind> instruction(const CsvCell& cell) {
    const auto kind = parse_instruction(cell.text);
    if (!kind) {
      report(cell, fmt::format("'{}' is no instruction", cell.text), suggestion(cell.text, instruction_names()));
    }
    return kind;
  }

  std::string configuration(const std::vector<CsvCell>& cells) const {
    std::string text;
    for (const std::size_t i : columns_.configuration) {
      if (cells[i].text.empty()) continue;
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", csv_.header[i], cells[i].text);
    }
    return text;
  }

  const Csv& csv_;
  const Columns& columns_;
  std::vector<Problem>& problems_;
};

}  // namespace

ProfileRows read_csv_rows(std::string_view text, std::string name, std::vector<Problem>& problems) {
  ProfileRows result{.name = name, .rows = {}, .has_ranks = false, .stages = {}, .settings = {}};
  const auto csv = parse_csv(text, std::move(name));
  if (!csv) {
    problems = csv.error().problems;
    return result;
  }
  const Columns columns = find_columns(*csv, problems);
  if (!problems.empty()) return result;
  result.has_ranks = !columns.ranks.empty();
  CsvRows reader(*csv, columns, problems);
  for (const auto& cells : csv->rows) {
    if (auto row = reader.read(cells)) result.rows.push_back(std::move(*row));
  }
  return result;
}

}  // namespace kareus::planner
