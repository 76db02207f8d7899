#include "search/random.hpp"

#include <limits>
#include <numeric>
#include <utility>

#include "kareus/result.hpp"

namespace kareus::search {

std::size_t Random::below(std::size_t bound) {
  KAREUS_CHECK(bound > 0);
  // Numbers of the last, incomplete run of `bound` values are drawn again, so that every remainder is equally likely.
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = largest - largest % bound;
  std::uint64_t number = engine_();
  while (number >= limit) number = engine_();
  return static_cast<std::size_t>(number % bound);
}

std::vector<std::size_t> Random::permutation(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

}  // namespace kareus::search
