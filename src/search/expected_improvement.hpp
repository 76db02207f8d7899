#pragma once

#include <optional>
#include <vector>

#include "search/target_model.hpp"

namespace kareus::search {

/// Time and energy of every candidate as predicted.
struct Models {
  TargetModel time;
  TargetModel energy;                       ///< total
  std::optional<TargetModel> dynamic = {};  ///< dynamic energy, where its direction is searched
};

struct BatchRequest {
  std::vector<Estimate> known;           ///< measured candidates, in time and total energy
  std::vector<std::size_t> outstanding;  ///< suggested and not yet told
  std::vector<bool> closed;              ///< candidates that may not be suggested
  std::size_t count = 0;
  double static_power = 0.0;
  bool believe = true;  ///< take each pick, and what is outstanding, for measured at its mean
};

struct Batch {
  std::vector<Suggestion> suggestions;
  /// Expected relative gain of the batch in hypervolume, of the direction that gains more.
  double gain = 0.0;
};

/// Chooses the candidates that are expected to enlarge the front most, one after the other: expected hypervolume
/// improvement (Emmerich, 2005) over equally likely worlds, in (time, total energy) plus, where static power makes it
/// another plane, in (time, dynamic energy), each relative to the volume of its front. The lowest time, which is the
/// static direction, is an end of both fronts. A pick changes what later ones expect: it joins the front of every world
/// as predicted there, and variances around it fall (sequential greedy choice with the believer's update: Ginsbourger,
/// Le Riche and Carraro, 2010). Reference point: the worst of the front of means, known and predicted, plus a tenth of
/// its range.
///
/// Dynamic energy has a model of its own where its direction is searched: as the difference of the predictions of total
/// energy and of static power times time it would be uncertain by far more than it differs. Where no improvement is
/// expected any more, what would have to be the fewest deviations better than predicted to be on the front fills the
/// batch.
Batch choose_batch(Models& models, const BatchRequest& request);

}  // namespace kareus::search
