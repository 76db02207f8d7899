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
  std::optional<std::size_t> clock = {};  ///< the feature, if any, by whose inverse time is close to a straight line
};

/// The two objectives of a candidate, both minimised. Total energy is energy + static_power * time.
struct Objectives {
  double time = 0;    ///< any unit of time, > 0
  double energy = 0;  ///< dynamic energy
};

/// Why a candidate was suggested: the passes of Kareus, section 4.3, and `repeat` for a second look at a measurement.
enum class Pass { initial, total_energy, dynamic_energy, static_energy, uncertainty, repeat };
std::string to_string(Pass pass);
std::optional<Pass> parse_pass(std::string_view text);

struct Suggestion {
  std::size_t candidate = 0;
  Pass pass = Pass::initial;
  std::size_t repeat = 0;  ///< 0 for a first measurement of the candidate, 1 for the second, ...
};

/// A finished evaluation; no objectives when it failed. A value that is not finite, or a time that is not positive,
/// counts as failed.
struct Evaluation {
  std::size_t candidate = 0;
  std::optional<Objectives> objectives;
  std::size_t repeat = 0;    ///< which measurement of the candidate, as suggested
  bool censored = false;     ///< stopped early: the true objectives are at least these
  Objectives variance = {};  ///< of the objectives, where the measurement knows it; 0 = not known
};

/// What a search believes of a candidate that was measured.
struct Estimate {
  std::size_t candidate = 0;
  Objectives objectives;
};

/// Suggests what to evaluate next. Deterministic: the suggestions are a function of the space, the options and the
/// evaluations told; so an optimiser is resumed by telling a new one the old evaluations.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The next batch; empty when finished. Asking again before telling returns the same batch without what was told.
  virtual Result<std::vector<Suggestion>> ask() = 0;
  /// Up to `count` suggestions more, while any number are outstanding: none is suggested again. Empty when finished,
  /// and when this strategy has nothing to suggest before more is told.
  virtual Result<std::vector<Suggestion>> ask_more(std::size_t count) = 0;
  /// All of the evaluations or, on an error, none. Errors: bad_input for a candidate that the space does not have and
  /// for one evaluation told twice with different results.
  virtual Result<void> tell(std::span<const Evaluation> evaluations) = 0;
  /// What is believed of every candidate with a usable evaluation, ascending in candidate: the frontier is to be taken
  /// from these. Empty when nothing usable was told.
  virtual Result<std::vector<Estimate>> estimates() const = 0;
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

/// Options of our own search. Every ingredient can be left out, to measure what it brings (docs/decisions/).
struct AdaptiveOptions {
  std::size_t budget = 224;  ///< evaluations at most, repeats included
  std::size_t initial = 12;  ///< space-filling first points; at most an eighth of the budget or 4, the larger
  std::optional<std::size_t> batch_size = {};  ///< of ask(); by itself a 21st of the budget, from 1 to 4
  double static_power = 0;                     ///< energy units per time unit
  std::uint64_t seed = 0;
  /// Relative gain of hypervolume, expected of a whole batch, below which the search stops; 0 goes on to the budget.
  double stop_gain = 0;
  /// Whether a measurement may be wrong, and be asked for again (Suggestion::repeat) before it is believed.
  bool repeats = false;
  /// Evaluations of another space, for example of a partition type searched before; features are matched by name.
  std::optional<std::pair<Space, std::vector<Evaluation>>> prior = {};

  enum class Models { chosen, gaussian, trees };
  Models models = Models::chosen;  ///< chosen per objective by leave-one-out error
  bool space_filling = true;       ///< otherwise random first points
  bool log_labels = true;
  bool dynamic_direction = true;  ///< seek the front in dynamic energy too
  bool believed_batches = true;   ///< a batch takes its earlier members for measured at their means
  /// Before it stops, ask for what is predicted to be the best of a clock by 1% or more: instructions have one clock.
  bool clock_gaps = true;
};

/// Our own search: Gaussian processes or boosted trees on log labels, expected hypervolume improvement over the total
/// and dynamic energy directions, batches by belief. Everything is a function of the set of evaluations, so the order
/// in which they are told does not matter. Errors: as make_multi_pass().
Result<std::unique_ptr<Optimizer>> make_adaptive(Space space, AdaptiveOptions options);

/// What every strategy needs to know.
struct StrategyOptions {
  std::size_t budget = 224;
  double static_power = 0;
  std::uint64_t seed = 0;
  double stop_gain = 0;  ///< of `adaptive`
  bool repeats = false;  ///< of `adaptive`
};

/// Names of the strategies, the default first: `adaptive`, `kareus`, `random`.
std::vector<std::string> strategy_names();
/// A strategy by name; `kareus` has the published shape (96 at random, 4 batches of 32) stretched to the budget, and
/// the published sizes where the budget is that of one of them. Errors: usage for an unknown name, and as the
/// strategy's.
Result<std::unique_ptr<Optimizer>> make_strategy(const std::string& name, Space space, const StrategyOptions& options);

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
