#include "search/table_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace kareus::search {
namespace {

constexpr double kLargest = 1e30;

/// Finds columns by name and sees to it that a column is used for one thing only.
class ColumnFinder {
 public:
  explicit ColumnFinder(const std::vector<std::string>& header) : header_(header) {}

  std::optional<ColumnIndex> find(ConfigReader& reader, std::string_view key, const std::string& name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) {
      reader.report(key, fmt::format("the table has no column '{}'", name), suggestion(name, header_));
      return std::nullopt;
    }
    return static_cast<ColumnIndex>(found - header_.begin());
  }

  /// The columns that an array names, each claimed for `use`.
  std::vector<ColumnIndex> claim(ConfigReader& reader, std::string_view key, const std::string& use) {
    std::vector<ColumnIndex> columns;
    for (const std::string& name : reader.texts(key)) {
      const auto column = find(reader, key, name);
      if (!column) continue;
      const auto [previous, first] = uses_.emplace(*column, use);
      if (first) {
        columns.push_back(*column);
      } else {
        reader.report(key, fmt::format("column '{}' is {} already", name, previous->second));
      }
    }
    return columns;
  }

 private:
  const std::vector<std::string>& header_;
  std::map<ColumnIndex, std::string> uses_;
};

Aggregate read_aggregate(ConfigReader& reader) {
  const std::string text = reader.text_or("aggregate", "median");
  if (text == "mean") return Aggregate::mean;
  if (text != "median") {
    reader.report("aggregate", fmt::format("unknown aggregate '{}'", text), "known: median and mean");
  }
  return Aggregate::median;
}

EnergyKind read_kind(ConfigReader& reader) {
  const std::string text = reader.text_or("kind", "total");
  if (text == "dynamic") return EnergyKind::dynamic;
  if (text != "total") {
    reader.report("kind", fmt::format("unknown kind of energy '{}'", text), "known: total and dynamic");
  }
  return EnergyKind::total;
}

RepeatedMeasurement read_measurement(ConfigReader& reader, ColumnFinder& finder, const std::string& use) {
  RepeatedMeasurement measurement;
  const bool named = reader.has("columns");
  measurement.columns = finder.claim(reader, "columns", use);
  if (named && reader.texts("columns").empty()) reader.report("columns", "needs at least one column");
  measurement.aggregate = read_aggregate(reader);
  measurement.factor = reader.number_or("factor", 1.0, {.low = 1.0 / kLargest, .high = kLargest});
  return measurement;
}

CategoricalFeature read_categorical(ConfigReader& reader, ColumnFinder& finder) {
  CategoricalFeature feature;
  feature.name = reader.text("name");
  feature.columns = finder.claim(reader, "columns", "a feature");
  reader.reject_unknown_keys();
  return feature;
}

std::optional<RowFilter> read_filter(ConfigReader& reader, const ColumnFinder& finder) {
  RowFilter filter;
  const std::string name = reader.text("column");
  const bool named = reader.has("column");
  if (reader.has("values")) filter.values = reader.texts("values");
  if (reader.has("minimum")) filter.minimum = reader.number("minimum");
  if (reader.has("maximum")) filter.maximum = reader.number("maximum");
  if (filter.values.empty() && !filter.minimum && !filter.maximum) {
    reader.report("", "a filter needs values, a minimum or a maximum");
  }
  reader.reject_unknown_keys();
  const auto column = named ? finder.find(reader, "column", name) : std::nullopt;
  if (!column) return std::nullopt;
  filter.column = *column;
  return filter;
}

void read_header(ConfigReader& reader) {
  if (const std::string format = reader.text("format"); reader.has("format") && format != "kareus-table") {
    reader.report("format", fmt::format("'{}' is not a description of a table", format), "expected 'kareus-table'");
  }
  (void)reader.integer("version", {.low = 1, .high = 1});
}

}  // namespace

TableDescription read_description(const ConfigDocument& document, const std::vector<std::string>& header,
                                  std::vector<Problem>& problems) {
  ConfigReader reader(document, problems);
  ColumnFinder finder(header);
  TableDescription description;
  read_header(reader);
  description.static_power = reader.number("static_power_w", {.low = 0.0, .high = kLargest});
  if (reader.has("numeric")) description.numeric = finder.claim(reader, "numeric", "a feature");
  if (reader.has("clock")) {
    description.clock = finder.find(reader, "clock", reader.text("clock"));
    const auto& numeric = description.numeric;
    if (description.clock && std::find(numeric.begin(), numeric.end(), *description.clock) == numeric.end()) {
      reader.report("clock", "the clock must be one of the numeric features");
    }
  }
  if (reader.has("categorical")) {
    for (ConfigReader& entry : reader.tables("categorical")) {
      description.categorical.push_back(read_categorical(entry, finder));
    }
  }
  if (!reader.has("numeric") && !reader.has("categorical")) {
    reader.report("", "names no features", "list columns under numeric or [[categorical]]");
  }
  if (auto time = reader.table("time")) {
    description.time = read_measurement(*time, finder, "a time");
    time->reject_unknown_keys();
  }
  if (auto energy = reader.table("energy")) {
    description.energy = read_measurement(*energy, finder, "an energy");
    description.energy_kind = read_kind(*energy);
    energy->reject_unknown_keys();
  }
  if (reader.has("failure_texts")) description.failure_texts = reader.texts("failure_texts");
  if (reader.has("filter")) {
    for (ConfigReader& entry : reader.tables("filter")) {
      if (auto filter = read_filter(entry, finder)) description.filters.push_back(std::move(*filter));
    }
  }
  reader.reject_unknown_keys();
  return description;
}

}  // namespace kareus::search
