#include "base/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

namespace kareus {
namespace {

/// Length of the well-formed UTF-8 sequence that `text` starts with (Unicode, table 3-7), or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

/// Reads cell after cell, keeping count of lines and columns.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& name, std::vector<Problem>& problems)
      : text_(text), name_(name), problems_(problems) {}

  bool at_end() const { return position_ == text_.size(); }

  /// The next record, and past its line end. Pre: not at the end.
  std::vector<CsvCell> record() {
    std::vector<CsvCell> cells;
    do {
      cells.push_back(cell());
    } while (take(','));
    end_line();
    return cells;
  }

 private:
  static bool ends_line(char c) { return c == '\n' || c == '\r'; }
  bool next_is(char c) const { return !at_end() && text_[position_] == c; }
  bool at_boundary() const { return at_end() || next_is(',') || ends_line(text_[position_]); }
  int column() const { return static_cast<int>(position_ - line_start_) + 1; }

  bool take(char c) {
    if (!next_is(c)) return false;
    ++position_;
    return true;
  }

  void end_line() {
    if (at_end()) return;
    const bool carriage_return = take('\r');
    if (!take('\n')) KAREUS_CHECK(carriage_return);
    start_line();
  }

  void start_line() {
    ++line_;
    line_start_ = position_;
  }

  void report(int line, int column, std::string what) {
    problems_.push_back({fmt::format("{}:{}:{}", name_, line, column), std::move(what), ""});
  }

  CsvCell cell() {
    while (next_is(' ') || next_is('\t')) ++position_;
    CsvCell result{.text = {}, .line = line_, .column = column()};
    if (take('"')) {
      result.text = quoted(result);
      while (next_is(' ') || next_is('\t')) ++position_;
      if (!at_boundary()) {
        report(line_, column(), "text after a closing quote");
        (void)plain();
      }
    } else {
      result.text = trimmed(plain());
    }
    return result;
  }

  std::string_view plain() {
    const std::size_t begin = position_;
    bool stray_quote = false;
    while (!at_boundary()) {
      if (next_is('"') && !std::exchange(stray_quote, true)) {
        report(line_, column(), "a quote in a cell that does not start with one");
      }
      ++position_;
    }
    return text_.substr(begin, position_ - begin);
  }

  std::string quoted(const CsvCell& start) {
    std::string result;
    while (!at_end()) {
      const char c = text_[position_++];
      if (c == '"' && !take('"')) return result;
      result += c;
      if (c == '\n' || (c == '\r' && !next_is('\n'))) start_line();
    }
    report(start.line, start.column, "a quote that is never closed");
    return result;
  }

  std::string_view text_;
  const std::string& name_;
  std::vector<Problem>& problems_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

bool is_blank(const std::vector<CsvCell>& record) {
  return record.size() == 1 && record.front().text.empty();
}

void check_encoding(std::string_view text, const std::string& name, std::vector<Problem>& problems) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = text[i] == '\0' ? 0 : utf8_length(text.substr(i));
    if (length == 0) {
      problems.push_back({fmt::format("{}:{}", name, line), "not a text in UTF-8", ""});
      return;
    }
    if (text[i] == '\n') ++line;
    i += length;
  }
}

void read_header(Csv& csv, const std::vector<CsvCell>& record, std::vector<Problem>& problems) {
  std::set<std::string> seen;
  for (const CsvCell& cell : record) {
    if (cell.text.empty()) {
      problems.push_back({csv.where(cell), "a column without a name", ""});
    } else if (!seen.insert(cell.text).second) {
      problems.push_back({csv.where(cell), fmt::format("a second column '{}'", cell.text), ""});
    }
    csv.header.push_back(cell.text);
  }
}

}  // namespace

std::string Csv::where(const CsvCell& cell) const {
  return fmt::format("{}:{}:{}", name, cell.line, cell.column);
}

Result<Csv> parse_csv(std::string_view text, std::string name) {
  Csv csv{.name = std::move(name), .header = {}, .rows = {}};
  Error error{ErrorCode::bad_input, {}};
  check_encoding(text, csv.name, error.problems);
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  CsvScanner scanner(text, csv.name, error.problems);
  while (!scanner.at_end()) {
    std::vector<CsvCell> record = scanner.record();
    if (is_blank(record)) continue;
    if (csv.header.empty()) {
      read_header(csv, record, error.problems);
    } else if (record.size() != csv.header.size()) {
      error.problems.push_back({csv.where(record.front()),
                                fmt::format("{} cells in a table of {} columns", record.size(), csv.header.size()),
                                ""});
    } else {
      csv.rows.push_back(std::move(record));
    }
  }
  if (csv.header.empty()) error.problems.push_back({csv.name, "is empty", "the first line names the columns"});
  if (!error.problems.empty()) {
    shorten(error.problems);
    return tl::unexpected(std::move(error));
  }
  return csv;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

void shorten(std::vector<Problem>& problems) {
  constexpr std::size_t kShown = 100;
  if (problems.size() <= kShown) return;
  const std::size_t hidden = problems.size() - kShown;
  problems.resize(kShown);
  problems.push_back({"", fmt::format("and {} more problems", hidden), ""});
}

}  // namespace kareus
