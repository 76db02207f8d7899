#pragma once

#include <cstddef>
#include <vector>

#include "kareus/search.hpp"
#include "search/expected_improvement.hpp"

namespace kareus::search {

/// What a front over all clocks leaves open. An instruction has one clock, and is composed of the configurations that
/// its partition types have at it. A type that was measured well at one clock and badly at the next is no worse a front
/// for it, but where another type is at its best at the next clock, the instruction is.
class ClockGaps {
 public:
  /// Of a space without a clock there are none.
  explicit ClockGaps(const Space& space);

  /// Candidates that are predicted to be the fastest, or the cheapest in total energy, of their clock by 1% or more
  /// before what was measured at it; the largest gain first, at most `most`. Clocks at which they would be beaten by
  /// 2% in both time and dynamic energy by what was measured at others are of no use and have no gaps. `known` as in
  /// BatchRequest.
  std::vector<Suggestion> find(const Models& models, const std::vector<Estimate>& known,
                               const std::vector<bool>& closed, double static_power, std::size_t most) const;

 private:
  std::vector<std::vector<std::size_t>> at_;  ///< candidates by clock
};

}  // namespace kareus::search
