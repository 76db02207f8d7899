#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kareus/schedule.hpp"

// Any text is refused or read; what is read can be written, read again and turned into a plan at every point.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kareus::schedule;
  const auto frontier = parse_frontier(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.json");
  if (!frontier) return frontier.error().problems.empty() ? std::abort(), 0 : 0;
  const auto again = parse_frontier(to_json(*frontier), "again.json");
  if (!again || *again != *frontier) std::abort();
  for (std::size_t i = 0; i < frontier->points.size(); ++i) (void)make_plan(*frontier, i);
  return 0;
}
