#include "kareus/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "base/config.hpp"
#include "base/csv.hpp"
#include "base/files.hpp"
#include "search/ledger.hpp"
#include "search/table_description.hpp"

namespace kareus::search {
namespace {

double aggregate(std::vector<double> values, Aggregate how) {
  KAREUS_CHECK(!values.empty());
  const std::size_t count = values.size();
  std::sort(values.begin(), values.end());
  switch (how) {
    case Aggregate::median:
      return values[(count - 1) / 2] / 2 + values[count / 2] / 2;
    case Aggregate::mean: {
      double mean = 0.0;
      for (const double value : values) mean += value / static_cast<double>(count);
      return mean;
    }
  }
  throw_logic_error("a known aggregate", __FILE__, __LINE__);
}

/// The features of a row: rows with equal features are one candidate.
struct Key {
  std::vector<double> numbers;
  std::vector<std::vector<std::string>> categories;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Candidate {
  Key key;
  std::string label;
  std::vector<double> times;
  std::vector<double> energies;
  std::vector<int> lines;  ///< of the file
};

/// Turns rows into candidates, collecting what is wrong with them.
class TableBuilder {
 public:
  TableBuilder(const Csv& csv, const TableDescription& description, std::vector<Problem>& problems)
      : csv_(csv), description_(description), problems_(problems) {}

  void add_rows() {
    for (const auto& row : csv_.rows) {
      if (passes(row)) add(row);
    }
  }

  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  using Row = std::vector<CsvCell>;

  std::optional<double> number(const CsvCell& cell, ColumnIndex column) {
    const auto value = parse_number(cell.text);
    if (!value) {
      problems_.push_back({csv_.where(cell),
                           fmt::format("'{}' must be a finite number, not '{}'", csv_.header[column], cell.text), ""});
    }
    return value;
  }

  bool passes(const Row& row) {
    return std::all_of(description_.filters.begin(), description_.filters.end(), [&](const RowFilter& filter) {
      const CsvCell& cell = row[filter.column];
      const auto& values = filter.values;
      if (!values.empty() && std::find(values.begin(), values.end(), cell.text) == values.end()) return false;
      if (!filter.minimum && !filter.maximum) return true;
      const auto value = number(cell, filter.column);
      return value && (!filter.minimum || *value >= *filter.minimum) && (!filter.maximum || *value <= *filter.maximum);
    });
  }

  void add(const Row& row) {
    const std::size_t problems_before = problems_.size();
    Key key;
    std::string label;
    const auto extend_label = [&](ColumnIndex column) {
      label += fmt::format("{}{}={}", label.empty() ? "" : " ", csv_.header[column], row[column].text);
    };
    for (const CategoricalFeature& feature : description_.categorical) {
      std::vector<std::string> category;
      for (const ColumnIndex column : feature.columns) {
        category.push_back(row[column].text);
        extend_label(column);
      }
      key.categories.push_back(std::move(category));
    }
    for (const ColumnIndex column : description_.numeric) {
      key.numbers.push_back(number(row[column], column).value_or(0.0));
      extend_label(column);
    }
    std::vector<double> times = repeats(row, description_.time, true);
    std::vector<double> energies = repeats(row, description_.energy, false);
    if (problems_.size() != problems_before) return;

    const auto [entry, is_new] = index_.emplace(key, candidates_.size());
    if (is_new) {
      Candidate created;
      created.key = std::move(key);
      created.label = std::move(label);
      candidates_.push_back(std::move(created));
    }
    Candidate& candidate = candidates_[entry->second];
    candidate.times.insert(candidate.times.end(), times.begin(), times.end());
    candidate.energies.insert(candidate.energies.end(), energies.begin(), energies.end());
    candidate.lines.push_back(row.front().line);
  }

  /// The successful repeats, in SI units.
  std::vector<double> repeats(const Row& row, const RepeatedMeasurement& measurement, bool is_time) {
    std::vector<double> values;
    const auto& failures = description_.failure_texts;
    for (const ColumnIndex column : measurement.columns) {
      const CsvCell& cell = row[column];
      if (cell.text.empty() || std::find(failures.begin(), failures.end(), cell.text) != failures.end()) continue;
      const auto value = number(cell, column);
      if (!value) continue;
      const bool negative = *value < 0 && (is_time || description_.energy_kind == EnergyKind::total);
      if (negative || (is_time && *value == 0)) {
        problems_.push_back({csv_.where(cell),
                             fmt::format("'{}' must {}, not {}", csv_.header[column],
                                         is_time ? "be positive" : "not be negative", cell.text),
                             ""});
        continue;
      }
      const double si = *value * measurement.factor;
      const Objectives probe = is_time ? Objectives{.time = si} : Objectives{.time = 1.0, .energy = si};
      if (!usable(probe)) {
        problems_.push_back({csv_.where(cell), fmt::format("'{}' is beyond any measurement", csv_.header[column]), ""});
        continue;
      }
      values.push_back(si);
    }
    return values;
  }

  const Csv& csv_;
  const TableDescription& description_;
  std::vector<Problem>& problems_;
  std::vector<Candidate> candidates_;
  std::map<Key, std::size_t> index_;
};

/// The categories of one categorical feature, in the order of their first candidates.
std::vector<std::vector<std::string>> categories_of(const std::vector<Candidate>& candidates, std::size_t feature) {
  std::vector<std::vector<std::string>> categories;
  std::map<std::vector<std::string>, bool> seen;
  for (const Candidate& candidate : candidates) {
    const auto& category = candidate.key.categories[feature];
    if (seen.emplace(category, true).second) categories.push_back(category);
  }
  return categories;
}

Result<Space> make_space(const Csv& csv, const TableDescription& description,
                         const std::vector<Candidate>& candidates) {
  constexpr std::size_t kLargestSpace = 50'000'000;  // values
  Space space;
  std::vector<std::vector<std::vector<std::string>>> categories;
  for (std::size_t f = 0; f < description.categorical.size(); ++f) {
    categories.push_back(categories_of(candidates, f));
    for (const auto& category : categories.back()) {
      std::string name = description.categorical[f].name + '=';
      for (std::size_t i = 0; i < category.size(); ++i) name += (i > 0 ? "," : "") + category[i];
      space.features.push_back(std::move(name));
    }
  }
  for (const ColumnIndex column : description.numeric) {
    if (description.clock == column) space.clock = space.features.size();
    space.features.push_back(csv.header[column]);
  }
  if (space.features.size() * candidates.size() > kLargestSpace) {
    return fail(ErrorCode::bad_input,
                fmt::format("{} candidates with {} features are too many", candidates.size(), space.features.size()),
                csv.name, "a categorical column with a different text in every row is not a feature");
  }
  for (const Candidate& candidate : candidates) {
    std::vector<double> row;
    row.reserve(space.features.size());
    for (std::size_t f = 0; f < categories.size(); ++f) {
      for (const auto& category : categories[f]) row.push_back(category == candidate.key.categories[f] ? 1.0 : 0.0);
    }
    row.insert(row.end(), candidate.key.numbers.begin(), candidate.key.numbers.end());
    space.rows.push_back(std::move(row));
  }
  return space;
}

std::optional<Objectives> objectives_of(const Candidate& candidate, const TableDescription& description) {
  if (candidate.times.empty() || candidate.energies.empty()) return std::nullopt;
  Objectives result{.time = aggregate(candidate.times, description.time.aggregate),
                    .energy = aggregate(candidate.energies, description.energy.aggregate)};
  if (description.energy_kind == EnergyKind::total) result.energy -= description.static_power * result.time;
  return result;
}

std::string pooled_note(const Csv& csv, const Candidate& candidate) {
  std::string lines;
  for (std::size_t i = 0; i < candidate.lines.size(); ++i) {
    lines += fmt::format("{}{}", i == 0 ? "" : ", ", candidate.lines[i]);
  }
  return fmt::format("{}: lines {} describe the same configuration ({}): their repeats are pooled", csv.name, lines,
                     candidate.label);
}

}  // namespace

Result<Table> parse_table(std::string_view csv_text, std::string csv_name, std::string_view description_text,
                          std::string description_name) {
  const auto csv = parse_csv(csv_text, std::move(csv_name));
  const auto document = parse_toml(description_text, std::move(description_name));
  Error error{ErrorCode::bad_input, {}};
  if (!csv) error.problems = csv.error().problems;
  if (!document) {
    const auto& problems = document.error().problems;
    error.problems.insert(error.problems.end(), problems.begin(), problems.end());
  }
  if (!error.problems.empty()) return tl::unexpected(std::move(error));

  const TableDescription description = read_description(*document, csv->header, error.problems);
  // Rows are read even under a defective description, to report on them too.
  TableBuilder builder(*csv, description, error.problems);
  builder.add_rows();
  if (csv->rows.empty()) {
    error.problems.push_back({csv->name, "has no rows", ""});
  } else if (error.problems.empty() && builder.candidates().empty()) {
    error.problems.push_back({csv->name, "no row passes the filters", ""});
  }
  shorten(error.problems);
  if (!error.problems.empty()) return tl::unexpected(std::move(error));

  Table table;
  auto space = make_space(*csv, description, builder.candidates());
  if (!space) return tl::unexpected(std::move(space).error());
  table.space = std::move(*space);
  table.static_power = description.static_power;
  for (const Candidate& candidate : builder.candidates()) {
    table.objectives.push_back(objectives_of(candidate, description));
    table.labels.push_back(candidate.label);
    if (candidate.lines.size() > 1) table.notes.push_back(pooled_note(*csv, candidate));
  }
  return table;
}

Result<Table> read_table(const std::filesystem::path& csv, const std::filesystem::path& description) {
  const auto csv_text = read_file(csv);
  const auto description_text = read_file(description);
  Error error{ErrorCode::bad_input, {}};
  for (const auto* text : {&csv_text, &description_text}) {
    if (*text) continue;
    error.code = text->error().code;
    error.problems.insert(error.problems.end(), text->error().problems.begin(), text->error().problems.end());
  }
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  return parse_table(*csv_text, csv.string(), *description_text, description.string());
}

}  // namespace kareus::search
