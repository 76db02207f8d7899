#include <array>
#include <string_view>
#include <utility>

#include "kareus/search.hpp"

namespace kareus::search {
namespace {

constexpr std::array<std::pair<Pass, std::string_view>, 6> kPassNames = {{
    {Pass::initial, "initial"},
    {Pass::total_energy, "total_energy"},
    {Pass::dynamic_energy, "dynamic_energy"},
    {Pass::static_energy, "static_energy"},
    {Pass::uncertainty, "uncertainty"},
    {Pass::repeat, "repeat"},
}};

}  // namespace

std::string to_string(Pass pass) {
  for (const auto& [value, name] : kPassNames) {
    if (value == pass) return std::string(name);
  }
  throw_logic_error("a known pass", __FILE__, __LINE__);
}

std::optional<Pass> parse_pass(std::string_view text) {
  for (const auto& [value, name] : kPassNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

MultiPassOptions published_sizes(std::size_t compute_slots) {
  if (compute_slots <= 1) return {.initial = 36, .batches = 3, .batch_size = 16};
  if (compute_slots <= 3) return {.initial = 48, .batches = 4, .batch_size = 16};
  return {.initial = 96, .batches = 4, .batch_size = 32};
}

}  // namespace kareus::search
