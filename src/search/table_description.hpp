#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/config.hpp"

namespace kareus::search {

enum class Aggregate { median, mean };
enum class EnergyKind { total, dynamic };

/// A column, by its index in the CSV.
using ColumnIndex = std::size_t;

struct CategoricalFeature {
  std::string name;
  std::vector<ColumnIndex> columns;  ///< their values together are the category
};

struct RepeatedMeasurement {
  std::vector<ColumnIndex> columns;
  Aggregate aggregate = Aggregate::median;
  double factor = 1.0;
};

struct RowFilter {
  ColumnIndex column = 0;
  std::vector<std::string> values;  ///< empty: any
  std::optional<double> minimum;
  std::optional<double> maximum;
};

/// What the columns of a table mean; see kareus/table.hpp for the file.
struct TableDescription {
  double static_power = 0.0;
  std::vector<ColumnIndex> numeric;  ///< features
  std::optional<ColumnIndex> clock;  ///< the one of them that is the core clock
  std::vector<CategoricalFeature> categorical;
  RepeatedMeasurement time;
  RepeatedMeasurement energy;
  EnergyKind energy_kind = EnergyKind::total;
  std::vector<std::string> failure_texts;
  std::vector<RowFilter> filters;
};

/// Reads a description against the columns of its table. What is wrong is added to `problems`.
TableDescription read_description(const ConfigDocument& document, const std::vector<std::string>& header,
                                  std::vector<Problem>& problems);

}  // namespace kareus::search
