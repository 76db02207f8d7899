#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kareus/result.hpp"

namespace kareus::search {

/// A finite space: one row of numbers per candidate. Categorical features are one-hot columns.
struct Space {
  std::vector<std::string> features;
  std::vector<std::vector<double>> rows;
};

/// The two objectives of a candidate, both minimised. Total energy is energy + static_power * time.
struct Objectives {
  double time = 0;    ///< any unit of time, > 0
  double energy = 0;  ///< dynamic energy
};

/// Why a candidate was suggested: the passes of Kareus, section 4.3.
enum class Pass { initial, total_energy, dynamic_energy, static_energy, uncertainty };
std::string to_string(Pass pass);
std::optional<Pass> parse_pass(std::string_view text);

struct Suggestion {
  std::size_t candidate = 0;
  Pass pass = Pass::initial;
};

/// A finished evaluation; no objectives when it failed. A value that is not finite, or a time that is not positive,
/// counts as failed.
struct Evaluation {
  std::size_t candidate = 0;
  std::optional<Objectives> objectives;
};

/// Suggests what to evaluate next. Deterministic: the suggestions are a function of the space, the options and the
/// evaluations told, in order; so an optimiser is resumed by telling a new one the old evaluations.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The next batch; empty when finished. Asking again before telling returns the same batch without what was told.
  virtual Result<std::vector<Suggestion>> ask() = 0;
  virtual Result<void> tell(std::span<const Evaluation> evaluations) = 0;
  /// Why there is nothing more to ask: `budget`, `converged`, `exhausted`; nothing while it goes on.
  virtual std::optional<std::string> finished() const = 0;
};

/// Sizes and shares of the published multi-pass search (Kareus, section 4.3 and appendix C).
struct MultiPassOptions {
  std::size_t initial = 96;
  std::size_t batches = 4;
  std::size_t batch_size = 32;
  double total_share = 0.4;
  double dynamic_share = 0.2;
  double static_share = 0.2;  ///< the rest goes to uncertainty
  int ensemble = 5;
  double bootstrap_fraction = 0.8;
  double convergence_threshold = 1e-3;  ///< moving average over the last two batches of the relative gain
  double static_power = 0;              ///< energy units per time unit
  std::uint64_t seed = 0;
};

/// Sizes by the number of compute operators of a partition (launch slots): small (1), medium (2 to 3), large (more).
/// (Kareus, appendix C.)
MultiPassOptions published_sizes(std::size_t compute_slots);

/// The published algorithm: two XGBoost surrogates, hypervolume improvement on total, dynamic and static energy,
/// bootstrap uncertainty. Errors: bad_input for an empty space or rows of unequal length.
Result<std::unique_ptr<Optimizer>> make_multi_pass(Space space, MultiPassOptions options);
/// Uniform random order, for comparison. `budget` evaluations.
Result<std::unique_ptr<Optimizer>> make_random(Space space, std::size_t budget, std::uint64_t seed);

/// Two-dimensional hypervolume of the region that `points` dominate and `reference` bounds.
double hypervolume(std::span<const Objectives> points, Objectives reference);

/// A Pareto front that answers, in O(log n), by how much a point would enlarge its hypervolume.
class HypervolumeFront {
 public:
  explicit HypervolumeFront(Objectives reference);
  HypervolumeFront(Objectives reference, std::span<const Objectives> points);

  void insert(Objectives point);
  double improvement(Objectives point) const;
  double volume() const;
  std::span<const Objectives> points() const { return points_; }  ///< ascending in time, strictly descending in energy

 private:
  void rebuild_sums();
  Objectives reference_;
  std::vector<Objectives> points_;
  std::vector<double> sums_;  ///< sums_[i] = area between staircase and reference before point i; then the total
};

/// Indices of the points that no other dominates; of equal points the first. Ascending in time.
std::vector<std::size_t> pareto_front(std::span<const Objectives> points);

}  // namespace kareus::search
