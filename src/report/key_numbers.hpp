#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "kareus/report.hpp"

namespace kareus::report {

/// Kareus' fastest point beside Megatron-LM's. Changes are fractions: -0.1 is a tenth less.
struct FastestComparison {
  std::size_t point = 0;  ///< of Kareus
  double time_change = 0;
  double energy_change = 0;
};

/// A point of Kareus that is no worse in one quantity than a point of Megatron-LM + Perseus, and what it saves in the
/// other, as a fraction of the baseline's.
struct FrontierComparison {
  std::size_t point = 0;           ///< of Kareus
  std::size_t baseline_point = 0;  ///< of Megatron-LM + Perseus
  double saved = 0;
};

/// The numbers at the top of the page; the measures are those of the Kareus paper's section 6 (frontier improvement at
/// equal time and at equal energy). One is absent when its baseline is, or when no point of Kareus qualifies.
struct KeyNumbers {
  std::optional<FastestComparison> fastest;
  std::optional<FrontierComparison> equal_time;    ///< energy saved within the baseline's least time
  std::optional<FrontierComparison> equal_energy;  ///< time saved within the baseline's least energy
};

/// The baseline of that method (see schedule::Provenance), or null when there is none or it has no points.
const schedule::FrontierFile* find_baseline(const ReportInput& input, std::string_view method);

KeyNumbers key_numbers(const ReportInput& input);

}  // namespace kareus::report
