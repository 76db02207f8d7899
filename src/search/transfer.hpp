#pragma once

#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {

/// What the candidates of a space are expected to follow, up to a power and a factor; empty when nothing is known.
struct Pull {
  std::vector<double> time;
  std::vector<double> energy;  ///< total
};

/// Predicts the candidates of `space` from evaluations of another one, by the features that both have (by name), with a
/// Gaussian process on logarithms. Empty when they share no feature or nothing usable was evaluated. Errors: bad_input
/// for a defective `other`.
Result<Pull> transfer(const Space& other, const std::vector<Evaluation>& evaluations, const Space& space,
                      double static_power);

}  // namespace kareus::search
