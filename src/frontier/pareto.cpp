#include <algorithm>
#include <numeric>

#include "kareus/frontier.hpp"

namespace kareus::frontier {

std::vector<std::size_t> pareto_front(std::span<const Cost> costs) {
  std::vector<std::size_t> by_time(costs.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::sort(by_time.begin(), by_time.end(), [&](std::size_t a, std::size_t b) {
    if (costs[a].time != costs[b].time) return costs[a].time < costs[b].time;
    if (costs[a].effective_energy != costs[b].effective_energy) {
      return costs[a].effective_energy < costs[b].effective_energy;
    }
    return a < b;
  });
  std::vector<std::size_t> front;
  for (const std::size_t index : by_time) {
    if (front.empty() || costs[index].effective_energy < costs[front.back()].effective_energy) {
      front.push_back(index);
    }
  }
  return front;
}

}  // namespace kareus::frontier
