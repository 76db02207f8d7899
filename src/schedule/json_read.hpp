#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "kareus/schedule.hpp"

namespace kareus::schedule {

/// Parses the text and checks `format` and `version`, before which nothing else in a file has a meaning.
/// Errors: bad_input for a syntax error, another format or a version that is not read here.
Result<ConfigDocument> open_document(std::string_view text, std::string name, const std::string& format);

/// Parts that the frontier file and the plan share; whatever is wrong is added to the reader's problems.
Provenance read_provenance(ConfigReader& reader);
MicrobatchSchedule read_schedule(ConfigReader& reader);
Seconds read_time(ConfigReader& reader);
/// `static_power_at`, ascending in clock; empty when the file has none.
PowerByClock read_power_by_clock(ConfigReader& reader);

/// The energies of a point or a plan.
struct Energies {
  Joules total;
  Joules constant;  ///< static
  Joules dynamic;
};
Energies read_energies(ConfigReader& reader);

/// Reports an instruction that stands in a stage's order for the second time.
class OrderChecker {
 public:
  /// The instruction of a short name; problems go to `key` of `reader`.
  std::optional<Instruction> add(const std::string& name, ConfigReader& reader, std::string_view key);

 private:
  std::set<Instruction> seen_;
};

}  // namespace kareus::schedule
