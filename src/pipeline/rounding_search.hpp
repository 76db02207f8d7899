#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/rounding_state.hpp"

namespace kareus::pipeline {

inline constexpr std::size_t kLargestNeighbourhood = 6;

/// Slows `nodes` down, largest saving per second first, as long as the iteration ends within `limit`. Returns the
/// energy saved; the changes undone by undo() when they are logged.
struct Undo {
  std::uint32_t node;
  std::uint32_t position;
};
double reclaim(RoundingState& state, const std::vector<std::uint32_t>& nodes, double limit, std::vector<Undo>* log);
/// The same with all nodes, until none can save alone.
void reclaim_all(RoundingState& state, double limit);
void undo(RoundingState& state, const std::vector<Undo>& log);

/// Speeds single nodes up where what others then save is worth more, cheapest second first, until nothing improves or
/// `budget` nodes have been looked at.
void swap_options(RoundingState& state, double limit, std::size_t& budget);

/// Chooses the options of a few neighbouring nodes anew, together and exactly among those near the present ones,
/// everything else unchanged; all neighbourhoods of at most `most` nodes in turn until nothing improves or `budget`
/// choices have been tried.
void search_neighbourhoods(RoundingState& state, double limit, std::size_t most, std::size_t& budget);

}  // namespace kareus::pipeline
