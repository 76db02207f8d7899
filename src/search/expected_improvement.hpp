#pragma once

#include <optional>
#include <vector>

#include "search/target_model.hpp"

namespace kareus::search {

/// Time and total energy of every candidate as predicted.
struct Models {
  TargetModel time;
  TargetModel energy;
};

struct BatchRequest {
  std::vector<Estimate> known;           ///< measured candidates, in time and total energy
  std::vector<std::size_t> outstanding;  ///< suggested and not yet told
  std::vector<bool> closed;              ///< candidates that may not be suggested
  std::size_t count = 0;
  double static_power = 0.0;
  bool dynamic_direction = true;
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
/// What no improvement is expected of is filled by the largest uncertainty.
Batch choose_batch(Models& models, const BatchRequest& request);

}  // namespace kareus::search
