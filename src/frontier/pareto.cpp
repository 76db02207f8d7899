#include "base/pareto.hpp"
#include "kareus/frontier.hpp"

namespace kareus::frontier {

std::vector<std::size_t> pareto_front(std::span<const Cost> costs) {
  return pareto_indices(
      costs, [](const Cost& cost) { return cost.time.si(); },
      [](const Cost& cost) { return cost.effective_energy.si(); });
}

}  // namespace kareus::frontier
