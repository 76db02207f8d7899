#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kareus/schedule.hpp"

// Any text is refused or read; what is read can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kareus::schedule;
  const auto plan = parse_plan(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.json");
  if (!plan) return plan.error().problems.empty() ? std::abort(), 0 : 0;
  const auto again = parse_plan(to_json(*plan), "again.json");
  if (!again || *again != *plan) std::abort();
  return 0;
}
