#include "device/replay/replay_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "base/files.hpp"
#include "base/text.hpp"

namespace kareus::device {
namespace {

enum Column : std::size_t { kWork, kClock, kSmCount, kLaunchSlot, kTime, kEnergy, kColumns };
constexpr std::array<const char*, kColumns> kNames{"work",        "clock_mhz", "sm_count",
                                                   "launch_slot", "time_s",    "energy_j"};

/// Of seconds and joules of one execution; sums over many of them stay finite.
constexpr double kLargest = 1e12;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class TableParser {
 public:
  TableParser(std::string_view csv, std::string name) : rest_(csv) { table_.name = std::move(name); }

  Result<ReplayTable> parse() && {
    read_header();
    if (problems_.empty()) {
      while (next_line()) read_row();
      if (table_.rows.empty() && problems_.empty()) report("holds no measurement");
    }
    if (!problems_.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems_)});
    return std::move(table_);
  }

 private:
  /// Splits the next line that is not blank into fields.
  bool next_line() {
    while (!rest_.empty()) {
      const auto end = rest_.find('\n');
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++line_;
      if (trimmed(line).empty()) continue;
      fields_ = split(line);
      return true;
    }
    return false;
  }

  void report(std::string what, std::string hint = {}) {
    problems_.push_back({fmt::format("{}:{}", table_.name, std::max(line_, 1)), std::move(what), std::move(hint)});
  }

  void read_header() {
    if (!next_line()) return report("is empty");
    width_ = fields_.size();
    const std::vector<std::string> present(fields_.begin(), fields_.end());
    for (std::size_t column = 0; column < kColumns; ++column) {
      const auto found = std::find(present.begin(), present.end(), kNames[column]);
      if (found == present.end()) {
        report(fmt::format("column '{}' is missing", kNames[column]), suggestion(kNames[column], present));
      } else if (std::find(found + 1, present.end(), kNames[column]) != present.end()) {
        report(fmt::format("column '{}' occurs twice", kNames[column]));
      } else {
        place_[column] = static_cast<std::size_t>(found - present.begin());
      }
    }
  }

  std::string_view field(Column column) const { return fields_[place_[column]]; }

  int whole(Column column, int low) {
    const auto value = parse_number<int>(field(column));
    if (value && *value >= low) return *value;
    report(fmt::format("{} '{}' is not a whole number of at least {}", kNames[column], field(column), low));
    return 0;
  }

  double positive(Column column) {
    const auto value = parse_number<double>(field(column));
    if (value && std::isfinite(*value) && *value > 0.0 && *value <= kLargest) return *value;
    report(fmt::format("{} '{}' is not a positive, finite number", kNames[column], field(column)));
    return 0.0;
  }

  void read_row() {
    if (fields_.size() != width_) {
      return report(fmt::format("has {} fields where the header has {}", fields_.size(), width_));
    }
    const std::size_t problems_before = problems_.size();
    ReplayRow row;
    row.work = std::string(field(kWork));
    row.clock = Clock{whole(kClock, 1)};
    if (row.work.empty()) report("work is empty");
    row.time = Seconds(positive(kTime));
    row.energy = Joules(positive(kEnergy));
    const bool has_sms = !field(kSmCount).empty();
    const bool has_slot = !field(kLaunchSlot).empty();
    if (has_sms != has_slot) report("sm_count and launch_slot must both be given or both be empty");
    if (has_sms && has_slot) {
      row.config = schedule::PartitionConfig{.sm_count = SmCount{whole(kSmCount, 1)},
                                             .launch_slot = std::string(field(kLaunchSlot))};
    }
    if (problems_.size() != problems_before) return;
    const auto [first, is_new] = seen_.try_emplace(std::tuple(row.work, row.clock, row.config), line_);
    if (!is_new) return report(fmt::format("measures the same configuration as line {}", first->second));
    table_.rows.push_back(std::move(row));
  }

  std::string_view rest_;
  int line_ = 0;
  std::vector<std::string_view> fields_;
  std::size_t width_ = 0;
  std::array<std::size_t, kColumns> place_{};
  std::map<std::tuple<std::string, Clock, std::optional<schedule::PartitionConfig>>, int> seen_;
  std::vector<Problem> problems_;
  ReplayTable table_;
};

}  // namespace

Result<ReplayTable> parse_replay_table(std::string_view csv, std::string name) {
  return TableParser(csv, std::move(name)).parse();
}

Result<ReplayTable> read_replay_table(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(std::move(text).error());
  return parse_replay_table(*text, path.string());
}

}  // namespace kareus::device
