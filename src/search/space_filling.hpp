#pragma once

#include <cstdint>
#include <vector>

#include "search/coordinates.hpp"

namespace kareus::search {

/// Up to `count` candidates that together say most about the space: each lowers the mean variance of a Gaussian process
/// most, given those before it (integrated mean squared error, greedily). Its covariance is for four fifths a mean over
/// the axes, with lengths of a fifth, so that few points stand on many levels of every axis. The seed chooses among
/// equals, and the candidates that are looked at where there are thousands. Those in `excluded` are left out but count
/// as known.
std::vector<std::size_t> space_filling(const Coordinates& coordinates, std::size_t count, std::uint64_t seed,
                                       const std::vector<bool>& excluded);

}  // namespace kareus::search
