#include "report/data_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

#include "kareus/result.hpp"

namespace kareus::report {

double finite(double value) {
  KAREUS_CHECK(std::isfinite(value));
  return value;
}

double rounded(double value) {
  const std::string digits = fmt::format("{:.7g}", finite(value));
  double result = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  KAREUS_CHECK(parsed.ec == std::errc{});
  return result;
}

}  // namespace kareus::report
