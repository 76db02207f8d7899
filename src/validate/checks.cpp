#include "validate/checks.hpp"

#include <algorithm>
#include <cmath>

namespace kareus::validate {

void add_errors(std::vector<Check>& checks, const std::string& level, const std::string& name,
                std::span<const double> errors, std::optional<double> mean, std::optional<double> largest) {
  if (errors.empty()) return;
  double sum = 0.0;
  double most = 0.0;
  for (const double error : errors) {
    sum += std::abs(error);
    most = std::max(most, std::abs(error));
  }
  const auto add = [&](const char* which, double error, std::optional<double> tolerance) {
    Check check{.level = level, .name = name + which, .unit = {}, .published = {}, .ours = {}, .tolerance = tolerance};
    check.error = error;
    check.passed = !tolerance || error <= *tolerance;
    checks.push_back(std::move(check));
  };
  add(", mean", sum / static_cast<double>(errors.size()), mean);
  add(", largest", most, largest);
}

void add_statement(std::vector<Check>& checks, const std::string& level, const std::string& name, bool holds) {
  Check check{.level = level, .name = name, .unit = {}, .published = {}, .ours = {}, .tolerance = 0.0};
  check.error = holds ? 0.0 : 1.0;
  check.passed = holds;
  checks.push_back(std::move(check));
}

void add_value(std::vector<Check>& checks, const std::string& level, const std::string& name, const std::string& unit,
               double published, double ours, std::optional<double> tolerance) {
  Check check{.level = level, .name = name, .unit = unit, .published = published, .ours = ours, .tolerance = tolerance};
  check.error = ours / published - 1.0;
  check.passed = !tolerance || std::abs(check.error) <= *tolerance;
  checks.push_back(std::move(check));
}

void add_points(std::vector<Check>& checks, const std::string& level, const std::string& name, double published,
                double ours, std::optional<double> tolerance) {
  Check check{.level = level, .name = name, .unit = "%", .published = published, .ours = ours, .tolerance = tolerance};
  check.error = ours - published;
  check.passed = !tolerance || std::abs(check.error) <= *tolerance;
  checks.push_back(std::move(check));
}

bool passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
}

}  // namespace kareus::validate
