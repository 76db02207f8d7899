#pragma once

#include <cstdint>
#include <vector>

#include "search/coordinates.hpp"

namespace kareus::search {

/// Up to `count` candidates that together say most about the space: each lowers the mean variance of a Gaussian process
/// with a squared-exponential covariance of half an axis most, given those before it (integrated mean squared error,
/// greedily). Unlike points as far apart as possible they do not all lie in the corners. The seed chooses among equals,
/// and the candidates that are looked at where there are thousands. Those in `excluded` are left out but count as known.
std::vector<std::size_t> space_filling(const Coordinates& coordinates, std::size_t count, std::uint64_t seed,
                                       const std::vector<bool>& excluded);

}  // namespace kareus::search
