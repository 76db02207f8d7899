#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kareus/quantity.hpp"
#include "kareus/schedule.hpp"

namespace kareus::frontier {

/// Time and effective energy (total minus static power times own time) of something that is executed.
struct Cost {
  Seconds time;
  Joules effective_energy;
};

/// Indices of the costs that no other dominates, ascending in time; of equal ones the first.
std::vector<std::size_t> pareto_front(std::span<const Cost> costs);

/// What one partition type can do at one clock, and how often it runs in the instruction.
struct TypeOptions {
  std::string type;
  bool recomputed = false;
  double count = 0;
  struct Option {
    schedule::PartitionConfig config;
    Cost cost;
  };
  std::vector<Option> options;
};

/// Everything an instruction can do at one clock.
struct ClockOptions {
  Clock clock;
  std::vector<TypeOptions> types;  ///< empty: no overlapped execution at this clock
  Cost non_partition;              ///< embedding, head and loss, once per microbatch; zero for middle stages
  std::optional<Cost> sequential;  ///< the whole instruction without overlap, non-partition work included
};

/// The microbatch frontier of one stage and direction (Kareus, algorithm 2): at each clock the exact Pareto sum of the
/// partition types' options plus the sequential execution, then the Pareto set over all clocks. A type without options
/// at a clock rules out overlapped execution there, unless its count is 0. Ascending in time; energies are total.
/// Times must be non-negative, costs and counts finite.
std::vector<schedule::InstructionOption> microbatch_frontier(std::span<const ClockOptions> clocks, Watts static_power);

/// Energy of an iteration, once and for all: `E = sum of effective energies + stages * static power * time`, of one GPU
/// of each stage.
struct IterationEnergy {
  Joules total;
  Joules static_energy;
  Joules dynamic_energy;
};
IterationEnergy iteration_energy(Joules sum_of_effective, int stages, Watts static_power, Seconds time);

}  // namespace kareus::frontier
