#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kareus/table.hpp"

/// The input is a CSV, a line `%%`, and a description. What is accepted must be a consistent, finite table.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kSeparator = "\n%%\n";
  const std::size_t split = input.find(kSeparator);
  const std::string_view csv = input.substr(0, split);
  const std::string_view description =
      split == std::string_view::npos ? std::string_view{} : input.substr(split + kSeparator.size());
  const auto table = kareus::search::parse_table(csv, "table.csv", description, "table.toml");
  if (!table) {
    if (table.error().problems.empty()) std::abort();
    return 0;
  }
  const std::size_t candidates = table->space.rows.size();
  if (candidates == 0 || table->objectives.size() != candidates || table->labels.size() != candidates) std::abort();
  for (const auto& objectives : table->objectives) {
    if (objectives && !(objectives->time > 0.0 && objectives->energy - objectives->energy == 0.0)) std::abort();
  }
  // A space that the table gives must be one that a search takes, unless it has no features.
  if (!table->space.features.empty() && !kareus::search::make_random(table->space, 1, 0)) std::abort();
  return 0;
}
