#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace kareus::search {

/// Random numbers that are the same on every platform: the engine's output is fixed by the standard, unlike that of
/// the standard distributions, so those are not used.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, bound); bound > 0.
  std::size_t below(std::size_t bound);
  /// 0, 1, ..., count - 1 in uniformly random order.
  std::vector<std::size_t> permutation(std::size_t count);

 private:
  std::mt19937_64 engine_;
};

}  // namespace kareus::search
