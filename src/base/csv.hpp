#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/result.hpp"

namespace kareus {

struct CsvCell {
  std::string text;  ///< unquoted, without the spaces around it
  int line = 0;      ///< of its first character
  int column = 0;    ///< in bytes, from 1
};

/// A CSV file: as many cells in every row as there are names.
struct Csv {
  std::string name;
  std::vector<std::string> header;
  std::vector<std::vector<CsvCell>> rows;

  std::string where(const CsvCell& cell) const;
};

/// Parses RFC 4180 text: comma-separated, optionally quoted with `"`, which doubled stands for itself; lines may end
/// in CRLF, LF or CR; a byte-order mark and blank lines are skipped. Errors: bad_input with every defect and its place:
/// text that is not UTF-8, a stray or missing quote, a row of another length than the header, a column name that is
/// empty or occurs twice, no header.
Result<Csv> parse_csv(std::string_view text, std::string name);

/// A whole cell as a finite number, an explicit `+` allowed; nothing for any other text, NaN and infinities included.
std::optional<double> parse_number(std::string_view text);

/// Leaves the first hundred problems and the number of the others.
void shorten(std::vector<Problem>& problems);

}  // namespace kareus
