#pragma once

#include <string>

#include "kareus/quantity.hpp"
#include "kareus/result.hpp"

namespace kareus::cli {

/// `4.5`, `4.5s`, `4500ms`, and `1.05x` = that many times `base`. Errors: usage.
Result<Seconds> parse_time(const std::string& text, Seconds base);
/// `22000`, `22000J`, `22kJ`, `0.022MJ`. Errors: usage.
Result<Joules> parse_energy(const std::string& text);

}  // namespace kareus::cli
