#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "schedule/published_plan.hpp"

// The text is taken for clocks, for schedules and for both at once.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kareus::schedule;
  const NamedText file{.text = std::string_view(reinterpret_cast<const char*>(data), size), .name = "fuzz.py"};
  const auto schedules = read_published_schedules(file);
  const auto plan = import_published_plan(file, std::optional<NamedText>{});
  const auto both = import_published_plan(file, file);
  if (!plan && plan.error().problems.empty()) std::abort();
  // A file of clocks is none of schedules unless it has no instruction.
  if (both && (!plan || !schedules)) std::abort();
  return 0;
}
