#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

namespace kareus {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// Width as a terminal shows it: bytes that continue a UTF-8 character take no column.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

bool is_number_cell(std::string_view cell) {
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || cell[0] == '+' || cell[0] == '-' || cell[0] == '.');
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  if (word.size() > 256) return best;
  for (const std::string& candidate : candidates) {
    if (const std::size_t distance = edit_distance(word, candidate); distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  if (const auto nearest = nearest_word(word, candidates)) return fmt::format("did you mean '{}'?", *nearest);
  if (candidates.empty() || candidates.size() > 16) return {};
  return "known: " + join_words(candidates);
}

std::string join_words(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string text_table(std::span<const std::string> header, std::span<const std::vector<std::string>> rows) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(display_width(cell));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  const auto add_row = [&](std::span<const std::string> row) {
    std::string line;
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += is_number_cell(row[i]) ? padding + row[i] : row[i] + padding;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + '\n';
  };
  add_row(header);
  for (const auto& row : rows) add_row(row);
  return text;
}

std::string human(Seconds value) {
  const double s = value.si();
  const double magnitude = std::abs(s);
  if (magnitude >= 7200.0) return fmt::format("{:.1f} h", s / 3600.0);
  if (magnitude >= 1.0 || magnitude == 0.0) return fmt::format("{:.4g} s", s);
  if (magnitude >= 1e-3) return fmt::format("{:.4g} ms", s * 1e3);
  return fmt::format("{:.4g} us", s * 1e6);
}

std::string human(Joules value) {
  const double j = value.si();
  const double magnitude = std::abs(j);
  if (magnitude >= 1e6) return fmt::format("{:.4g} MJ", j * 1e-6);
  if (magnitude >= 1e3) return fmt::format("{:.4g} kJ", j * 1e-3);
  if (magnitude >= 1.0 || magnitude == 0.0) return fmt::format("{:.4g} J", j);
  return fmt::format("{:.4g} mJ", j * 1e3);
}

std::string human(Watts value) {
  return std::abs(value.si()) >= 1e4 ? fmt::format("{:.4g} kW", value.si() * 1e-3)
                                     : fmt::format("{:.4g} W", value.si());
}

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ULL;
  return hash;
}

std::string hex(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

std::uint64_t derive_seed(std::uint64_t seed, std::string_view name) {
  return stable_hash(hex(seed) + ':' + std::string(name));
}

}  // namespace kareus
