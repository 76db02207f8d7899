#include "cli/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace kareus::cli {
namespace {

/// Splits `12.5kJ` into the number and what the unit multiplies it by.
Result<double> parse(const std::string& text, const std::vector<std::pair<std::string, double>>& units,
                     std::string_view examples) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string unit(rest, end);
  for (const auto& [name, factor] : units) {
    if (error == std::errc{} && unit == name && std::isfinite(number * factor) && number > 0) return number * factor;
  }
  return fail(ErrorCode::usage, fmt::format("'{}' is not a positive quantity in a known unit", text), {},
              fmt::format("write for example {}", examples));
}

}  // namespace

Result<Seconds> parse_time(const std::string& text, Seconds base) {
  return parse(text, {{"", 1.0}, {"s", 1.0}, {"ms", 1e-3}, {"x", base.si()}}, "4.5s, 4500ms or 1.05x (of the fastest)")
      .map([](double value) { return Seconds(value); });
}

Result<Joules> parse_energy(const std::string& text) {
  return parse(text, {{"", 1.0}, {"J", 1.0}, {"kJ", 1e3}, {"MJ", 1e6}}, "22kJ, 22000J or 0.022MJ")
      .map([](double value) { return Joules(value); });
}

}  // namespace kareus::cli
