#include "kareus/frontier.hpp"

namespace kareus::frontier {

IterationEnergy iteration_energy(Joules sum_of_effective, int stages, Watts static_power, Seconds time) {
  const Joules static_energy = static_cast<double>(stages) * (static_power * time);
  return {
      .total = sum_of_effective + static_energy, .static_energy = static_energy, .dynamic_energy = sum_of_effective};
}

}  // namespace kareus::frontier
