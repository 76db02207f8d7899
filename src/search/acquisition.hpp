#pragma once

#include <span>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {

/// Energies become total: dynamic + static power * time.
std::vector<Objectives> with_static_energy(std::span<const Objectives> points, double static_power);

/// What the surrogates say of every candidate of the space.
struct Forecast {
  std::vector<Objectives> mean;                   ///< of the models of all data
  std::vector<std::vector<Objectives>> ensemble;  ///< per member of the bootstrap ensemble
};

/// How many of a batch each pass may pick.
struct BatchShares {
  std::size_t total_energy = 0;
  std::size_t dynamic_energy = 0;
  std::size_t static_energy = 0;
  std::size_t uncertainty = 0;
};

/// Splits a batch: each share is rounded, uncertainty takes the rest (32 gives 13, 6, 6, 7; Kareus, appendix C).
BatchShares split_batch(const MultiPassOptions& options, std::size_t batch_size);

/// Scores of the candidates against the observed front of two objectives.
struct FrontScores {
  std::vector<double> improvement;  ///< of the hypervolume by the predicted mean
  std::vector<double> nearness;     ///< minus how deep the predicted mean lies in the dominated region
};

/// One score per candidate and pass; larger is better. Scores are rounded to about 40 bits of the largest, so that
/// rounding errors neither break ties nor turn into improvements.
struct Scores {
  FrontScores total_energy;           ///< in (time, total energy)
  FrontScores dynamic_energy;         ///< in (time, dynamic energy)
  std::vector<double> static_energy;  ///< minus the predicted time
  std::vector<double> uncertainty;    ///< spread of the ensemble in time plus that in dynamic energy
};

/// Scores the candidates (Kareus, section 4.3). All objectives are normalised by the observed range (1 where it is 0).
///
/// The published text names a third hypervolume, in (time, static energy). Static energy is static power times time,
/// so that plane has a single direction and its improvement can only be a lower time: the static pass ranks by lowest
/// predicted time, which also orders the candidates that do not improve. The published code adds the spreads in raw
/// joules and seconds, where energy drowns time; here both are normalised, as the text says.
///
/// Pre: observed is not empty; energies are dynamic.
Scores score_candidates(std::span<const Objectives> observed, const Forecast& forecast, double static_power);

/// Picks a batch, pass after pass: total, dynamic, static, uncertainty. The hypervolume passes take only candidates
/// that improve; what they leave is filled by the larger of both improvements, and where nothing improves by nearness
/// to a front: a prediction just behind the front is the likeliest to be wrong in the useful direction. No candidate is
/// picked twice. Ties go to the candidate that comes first in `order`, which also says which candidates may be picked.
std::vector<Suggestion> select_batch(const Scores& scores, BatchShares shares, std::span<const std::size_t> order);

}  // namespace kareus::search
