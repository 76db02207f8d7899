#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "search/acquisition.hpp"
#include "search/clock_gaps.hpp"
#include "search/coordinates.hpp"
#include "search/expected_improvement.hpp"
#include "search/ledger.hpp"
#include "search/random.hpp"
#include "search/space_filling.hpp"
#include "search/transfer.hpp"

namespace kareus::search {
namespace {

constexpr std::size_t kMostRepeats = 3;
constexpr std::size_t kHopelessFailures = 12;

Result<void> check_options(const AdaptiveOptions& options) {
  Error error{ErrorCode::bad_input, {}};
  const auto require = [&](bool fine, std::string what) {
    if (!fine) error.problems.push_back({"search options", std::move(what), ""});
  };
  require(options.budget >= 1, "the budget must be at least one evaluation");
  require(options.initial >= 1, "the initial design needs at least one candidate");
  require(options.batch_size.value_or(1) >= 1, "a batch needs at least one candidate");
  require(options.static_power >= 0.0 && options.static_power <= 1e100, "the static power must be at least 0");
  require(options.stop_gain >= 0.0 && options.stop_gain < 1.0, "the gain to stop at must be from 0 to below 1");
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  return {};
}

TargetModel::Kind kind_of(AdaptiveOptions::Models models) {
  switch (models) {
    case AdaptiveOptions::Models::chosen:
      return TargetModel::Kind::chosen;
    case AdaptiveOptions::Models::gaussian:
      return TargetModel::Kind::gaussian;
    case AdaptiveOptions::Models::trees:
      return TargetModel::Kind::trees;
  }
  throw_logic_error("a known choice of models", __FILE__, __LINE__);
}

/// Batches are planned one after the other, and each is a function of the set of evaluations known when it is planned
/// and of what is outstanding. With ask() those are the evaluations of the batches before it, so telling a new search
/// the old evaluations replays it; with ask_more() they are whatever was told by then.
class Adaptive final : public Optimizer {
 public:
  Adaptive(const Space& space, AdaptiveOptions options, Pull pull)
      : options_(std::move(options)),
        features_(space),
        coordinates_(space),
        gaps_(space),
        pull_(std::move(pull)),
        ledger_(space.rows.size()),
        known_(space.rows.size()),
        closed_(space.rows.size(), false) {
    // A small budget has no room for a design before the search begins, nor for four choices at a time.
    options_.initial = std::min(options_.initial, std::max<std::size_t>(4, options_.budget / 8));
    batch_size_ = options_.batch_size.value_or(std::clamp<std::size_t>(options_.budget / 21, 1, 4));
  }

  Result<std::vector<Suggestion>> ask() override {
    if (error_) return tl::unexpected(*error_);
    KAREUS_RETURN_IF_ERROR(plan_if_idle());
    seen_ = true;
    return open();
  }

  Result<std::vector<Suggestion>> ask_more(std::size_t count) override {
    if (error_) return tl::unexpected(*error_);
    if (!seen_) retract();
    take_all_told();
    const std::size_t before = pending_.size();
    KAREUS_RETURN_IF_ERROR(plan(count));
    seen_ = true;
    return std::vector<Suggestion>(pending_.begin() + static_cast<std::ptrdiff_t>(before), pending_.end());
  }

  Result<void> tell(std::span<const Evaluation> evaluations) override {
    KAREUS_RETURN_IF_ERROR(ledger_.add(evaluations));
    while (!finished_ && !error_) {
      if (pending_.empty()) {
        const auto planned = plan_if_idle();
        if (!planned) {
          error_ = planned.error();
          return {};
        }
        seen_ = false;
        if (pending_.empty()) return {};
      }
      if (!open().empty()) return {};
      for (const Suggestion& suggestion : pending_) take(suggestion.candidate, suggestion.repeat);
      pending_.clear();
      finish_if_over();
    }
    return {};
  }

  std::optional<std::string> finished() const override { return finished_; }

  Result<std::vector<Estimate>> estimates() const override {
    std::vector<Estimate> believed = ledger_.estimates();
    if (!options_.repeats || believed.size() < options_.initial) return believed;
    Models models = {.time = {coordinates_, features_}, .energy = {coordinates_, features_}};
    std::vector<std::vector<Told>> told(known_.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      const auto repeats = ledger_.repeats(i);
      told[i].assign(repeats.begin(), repeats.end());
    }
    const Observed observed = observe(told);
    KAREUS_RETURN_IF_ERROR(fit(models, observed, 0));
    auto result = believed_of(models, observed);
    for (Estimate& one : result) one.objectives.energy -= options_.static_power * one.objectives.time;
    return result;
  }

 private:
  struct Observed {
    std::vector<Measured> times;
    std::vector<Measured> energies;  ///< total
    std::vector<std::size_t> exact;  ///< indices of what is not censored
  };

  std::vector<Suggestion> open() const {
    std::vector<Suggestion> result;
    for (const Suggestion& suggestion : pending_) {
      if (ledger_.find(suggestion.candidate, suggestion.repeat) == nullptr) result.push_back(suggestion);
    }
    return result;
  }

  /// Takes back what was planned and never handed out.
  void retract() {
    for (const Suggestion& suggestion : pending_) {
      if (suggestion.repeat == 0) closed_[suggestion.candidate] = false;
    }
    asked_ -= pending_.size();
    pending_.clear();
  }

  void take(std::size_t candidate, std::size_t repeat) {
    const Told* told = ledger_.find(candidate, repeat);
    auto& repeats = known_[candidate];
    if (std::any_of(repeats.begin(), repeats.end(), [&](const Told& one) { return one.repeat == repeat; })) return;
    closed_[candidate] = true;
    repeats.push_back(*told);
    ++taken_;
    usable_ += told->objectives && !told->censored ? 1 : 0;
  }

  /// Everything told, suggested or not.
  void take_all_told() {
    const auto is_told = [&](const Suggestion& s) { return ledger_.find(s.candidate, s.repeat) != nullptr; };
    std::erase_if(pending_, is_told);
    for (std::size_t i = 0; i < known_.size(); ++i) {
      for (const Told& told : ledger_.repeats(i)) take(i, told.repeat);
    }
    asked_ = taken_ + pending_.size();
    finish_if_over();
  }

  void finish_if_over() {
    if (!pending_.empty() || finished_) return;
    const bool all = std::all_of(closed_.begin(), closed_.end(), [](bool closed) { return closed; });
    if (taken_ >= options_.budget) {
      finished_ = "budget";
    } else if (all && !options_.repeats) {
      finished_ = "exhausted";
    }
    if (usable_ == 0 && taken_ >= kHopelessFailures && !finished_) {
      error_ = Error{ErrorCode::bad_input,
                     {{"search", fmt::format("all {} evaluations so far failed", taken_),
                       "check that any configuration of the space can be measured at all"}}};
    }
  }

  Result<void> plan_if_idle() {
    if (!pending_.empty() || finished_) return {};
    return plan(asked_ < options_.initial ? options_.initial - asked_ : batch_size_);
  }

  Result<void> plan(std::size_t count) {
    if (finished_ || asked_ >= options_.budget) return {};
    count = std::min(count, options_.budget - asked_);
    const std::size_t before = pending_.size();
    if (asked_ < options_.initial || usable_ == 0) {
      add_first_points(count);
    } else {
      KAREUS_RETURN_IF_ERROR(add_expected(count));
    }
    asked_ += pending_.size() - before;
    if (pending_.empty() && !finished_) finished_ = "exhausted";
    return {};
  }

  std::uint64_t stream(std::string_view name) const { return derive_seed(options_.seed, name); }

  void add_first_points(std::size_t count) {
    std::vector<std::size_t> points;
    if (options_.space_filling) {
      points = space_filling(coordinates_, count, stream("search/first points"), closed_);
    } else {
      points = Random(stream("search/first points")).permutation(closed_.size());
      std::erase_if(points, [&](std::size_t candidate) { return closed_[candidate]; });
      points.resize(std::min(count, points.size()));
    }
    for (const std::size_t candidate : points) suggest({.candidate = candidate, .pass = Pass::initial});
  }

  void suggest(Suggestion suggestion) {
    closed_[suggestion.candidate] = true;
    pending_.push_back(suggestion);
  }

  Observed observe(std::span<const std::vector<Told>> known) const {
    Observed observed;
    const auto add = [&](std::size_t candidate, Objectives value, std::size_t repeats, bool censored,
                         Objectives variance) {
      const double total = value.energy + options_.static_power * value.time;
      observed.times.push_back({candidate, value.time, repeats, variance.time, censored});
      observed.energies.push_back({candidate, total, repeats, variance.energy, censored});
      if (!censored) observed.exact.push_back(observed.times.size() - 1);
    };
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (const auto value = combined(known[i])) {
        std::size_t repeats = 0;
        Objectives variance;
        for (const Told& told : known[i]) {
          if (!told.objectives || told.censored) continue;
          ++repeats;
          variance = told.variance;
        }
        const auto n = static_cast<double>(repeats);
        add(i, *value, repeats, false, {variance.time / n, variance.energy / n});
      } else {
        const auto bound = std::find_if(known[i].begin(), known[i].end(),
                                        [](const Told& told) { return told.censored && told.objectives; });
        if (bound != known[i].end()) add(i, *bound->objectives, 1, true, {});
      }
    }
    return observed;
  }

  Result<void> fit(Models& models, const Observed& observed, std::size_t more) const {
    const auto kind = kind_of(options_.models);
    KAREUS_RETURN_IF_ERROR(models.time.fit(observed.times, kind, options_.log_labels, options_.repeats, pull_.time,
                                           stream("search/time"), more));
    KAREUS_RETURN_IF_ERROR(models.energy.fit(observed.energies, kind, options_.log_labels, options_.repeats,
                                             pull_.energy, stream("search/energy"), more));
    if (!models.dynamic) return {};
    std::vector<Measured> dynamic = observed.energies;
    for (std::size_t i = 0; i < dynamic.size(); ++i) {
      // The two errors are taken for independent.
      dynamic[i].value -= options_.static_power * observed.times[i].value;
      dynamic[i].variance += options_.static_power * options_.static_power * observed.times[i].variance;
    }
    return models.dynamic->fit(dynamic, kind, options_.log_labels, options_.repeats, {}, stream("search/dynamic"),
                               more);
  }

  /// Time and total energy of what was measured. Where measurements may be wrong, the means of a Gaussian process,
  /// which knows their neighbours, stand for them; doubtful ones are left out.
  std::vector<Estimate> believed_of(const Models& models, const Observed& observed) const {
    std::vector<Estimate> result;
    for (const std::size_t i : observed.exact) {
      if (models.time.doubtful(i) || models.energy.doubtful(i)) continue;
      const std::size_t candidate = observed.times[i].candidate;
      Estimate one{.candidate = candidate, .objectives = {observed.times[i].value, observed.energies[i].value}};
      if (options_.repeats && !models.time.uses_trees()) one.objectives.time = models.time.mean(candidate);
      if (options_.repeats && !models.energy.uses_trees()) one.objectives.energy = models.energy.mean(candidate);
      result.push_back(one);
    }
    if (result.empty()) {
      for (const std::size_t i : observed.exact) {
        result.push_back({observed.times[i].candidate, {observed.times[i].value, observed.energies[i].value}});
      }
    }
    return result;
  }

  Result<void> add_expected(std::size_t count) {
    const Observed observed = observe(known_);
    Models models = {.time = {coordinates_, features_}, .energy = {coordinates_, features_}};
    if (options_.dynamic_direction && options_.static_power > 0.0) models.dynamic.emplace(coordinates_, features_);
    std::vector<std::size_t> outstanding;
    for (const Suggestion& suggestion : pending_) {
      if (suggestion.repeat == 0) outstanding.push_back(suggestion.candidate);
    }
    KAREUS_RETURN_IF_ERROR(fit(models, observed, count + outstanding.size()));
    const std::size_t wanted = pending_.size() + count;
    if (options_.repeats) add_repeats(models, observed, std::max<std::size_t>(1, count / 2));
    const std::vector<Estimate> believed = believed_of(models, observed);
    std::vector<Suggestion> chosen;
    if (!closing_) {
      Batch batch = choose_batch(models, {.known = believed,
                                          .outstanding = outstanding,
                                          .closed = closed_,
                                          .count = wanted - pending_.size(),
                                          .static_power = options_.static_power,
                                          .believe = options_.believed_batches});
      closing_ = batch.gain < options_.stop_gain && pending_.empty();
      chosen = std::move(batch.suggestions);
    }
    if (closing_) {
      chosen.clear();
      if (options_.clock_gaps) {
        chosen = gaps_.find(models, believed, closed_, options_.static_power, wanted - pending_.size());
      }
      if (chosen.empty() && pending_.empty()) {
        finished_ = "converged";
        return {};
      }
    }
    for (const Suggestion& suggestion : chosen) suggest(suggestion);
    return {};
  }

  /// Measures again what would be on a front and does not fit to the rest.
  void add_repeats(const Models& models, const Observed& observed, std::size_t most) {
    std::vector<Objectives> measured;
    for (const std::size_t i : observed.exact)
      measured.push_back({observed.times[i].value, observed.energies[i].value});
    std::vector<std::size_t> wanted = pareto_front(measured);
    const auto dynamic = pareto_front(with_static_energy(measured, -options_.static_power));
    wanted.insert(wanted.end(), dynamic.begin(), dynamic.end());
    for (const std::size_t place : wanted) {
      const std::size_t i = observed.exact[place];
      const std::size_t candidate = observed.times[i].candidate;
      const std::size_t repeats = known_[candidate].size();
      if (!models.time.doubtful(i) && !models.energy.doubtful(i)) continue;
      const bool is_pending =
          std::any_of(pending_.begin(), pending_.end(), [&](const Suggestion& s) { return s.candidate == candidate; });
      if (repeats >= kMostRepeats || is_pending || most == 0) continue;
      pending_.push_back({.candidate = candidate, .pass = Pass::repeat, .repeat = repeats});
      --most;
    }
  }

  AdaptiveOptions options_;
  std::size_t batch_size_ = 1;
  FeatureMatrix features_;
  Coordinates coordinates_;
  ClockGaps gaps_;
  Pull pull_;
  Ledger ledger_;

  std::vector<std::vector<Told>> known_;  ///< per candidate: what the next plan may use
  std::vector<bool> closed_;              ///< suggested or known
  std::vector<Suggestion> pending_;
  bool seen_ = false;      ///< whether pending_ was handed out
  bool closing_ = false;   ///< nothing more to gain on the front: only gaps are left
  std::size_t asked_ = 0;  ///< evaluations suggested or known
  std::size_t taken_ = 0;
  std::size_t usable_ = 0;
  std::optional<std::string> finished_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::unique_ptr<Optimizer>> make_adaptive(Space space, AdaptiveOptions options) {
  KAREUS_RETURN_IF_ERROR(check_space(space));
  KAREUS_RETURN_IF_ERROR(check_options(options));
  Pull pull;
  if (options.prior) {
    auto transferred = transfer(options.prior->first, options.prior->second, space, options.static_power);
    if (!transferred) return tl::unexpected(std::move(transferred).error());
    pull = std::move(*transferred);
  }
  return std::make_unique<Adaptive>(space, std::move(options), std::move(pull));
}

}  // namespace kareus::search
