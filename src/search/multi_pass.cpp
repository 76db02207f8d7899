#include "search/multi_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "search/acquisition.hpp"
#include "search/ledger.hpp"
#include "search/random.hpp"
#include "search/reference.hpp"

namespace kareus::search {
namespace {

Result<void> check_options(const MultiPassOptions& options) {
  Error error{ErrorCode::bad_input, {}};
  const auto require = [&](bool fine, std::string what) {
    if (!fine) error.problems.push_back({"search options", std::move(what), ""});
  };
  require(options.initial >= 1, "the initial design needs at least one candidate");
  require(options.batches == 0 || options.batch_size >= 1, "a batch needs at least one candidate");
  const auto is_share = [](double share) { return share >= 0.0 && share <= 1.0; };
  const double sum = options.total_share + options.dynamic_share + options.static_share;
  require(is_share(options.total_share) && is_share(options.dynamic_share) && is_share(options.static_share) &&
              sum <= 1.0 + 1e-9,
          "the shares of the passes must be from 0 to 1 and add up to at most 1");
  require(options.ensemble >= 1, "the ensemble needs at least one member");
  require(options.bootstrap_fraction > 0.0 && options.bootstrap_fraction <= 1.0,
          "the bootstrap fraction must be above 0 and at most 1");
  require(options.convergence_threshold >= 0.0 && std::isfinite(options.convergence_threshold),
          "the convergence threshold must be a number of at least 0");
  require(options.static_power >= 0.0 && options.static_power <= 1e100, "the static power must be at least 0");
  if (!error.problems.empty()) return tl::unexpected(std::move(error));
  return {};
}

/// By what fraction the hypervolume grew from the first `before` points to all of them. Nothing to grow from counts as
/// infinite growth.
double relative_gain(std::span<const Objectives> points, std::size_t before) {
  if (before == points.size()) return 0.0;
  const Objectives reference = acquisition_reference(points);
  const double old_volume = hypervolume(points.first(before), reference);
  const double volume = hypervolume(points, reference);
  return old_volume > 0.0 ? (volume - old_volume) / old_volume : std::numeric_limits<double>::infinity();
}

/// The search is a replay: batches are planned one after the other, and a batch is over once everything in it has been
/// told. Told evaluations wait in the ledger until a batch suggests them, so the state is a function of the set of
/// evaluations told, however they were grouped; and all randomness comes from the seed and the batch's index.
class MultiPass final : public Optimizer {
 public:
  MultiPass(const Space& space, MultiPassOptions options, SurrogateFactory make_surrogate)
      : options_(options),
        make_surrogate_(std::move(make_surrogate)),
        features_(space),
        ledger_(space.rows.size()),
        taken_(space.rows.size(), false),
        handed_out_(space.rows.size(), false) {}

  Result<std::vector<Suggestion>> ask() override {
    if (finished()) return std::vector<Suggestion>{};
    KAREUS_RETURN_IF_ERROR(plan());
    std::vector<Suggestion> open;
    for (const Suggestion& suggestion : pending_) {
      if (!ledger_.told(suggestion.candidate)) open.push_back(suggestion);
    }
    return open;
  }

  /// What of the batch was not handed out yet: the published search waits for its whole batch.
  Result<std::vector<Suggestion>> ask_more(std::size_t count) override {
    const auto open = ask();
    if (!open) return tl::unexpected(open.error());
    std::vector<Suggestion> more;
    for (const Suggestion& suggestion : *open) {
      if (more.size() == count) break;
      if (handed_out_[suggestion.candidate]) continue;
      handed_out_[suggestion.candidate] = true;
      more.push_back(suggestion);
    }
    return more;
  }

  Result<std::vector<Estimate>> estimates() const override { return ledger_.estimates(); }

  Result<void> tell(std::span<const Evaluation> evaluations) override {
    KAREUS_RETURN_IF_ERROR(ledger_.add(evaluations));
    while (!finished()) {
      const bool something_to_replay = ledger_.size() > consumed_;
      if (hopeless() || (pending_.empty() && !something_to_replay)) return {};
      KAREUS_RETURN_IF_ERROR(plan());
      const bool complete = std::all_of(pending_.begin(), pending_.end(), [&](const Suggestion& suggestion) {
        return ledger_.told(suggestion.candidate);
      });
      if (!complete) return {};
      consume();
    }
    return {};
  }

  std::optional<std::string> finished() const override { return finished_; }

 private:
  /// The initial design is over and nothing in it could be measured: there is nothing to learn from.
  bool hopeless() const { return batch_ > 0 && observed_.empty(); }

  /// Decides the next batch unless there is one already.
  Result<void> plan() {
    if (hopeless()) {
      return fail(ErrorCode::bad_input, fmt::format("all {} evaluations of the initial design failed", consumed_),
                  "search", "check that any configuration of the space can be measured at all");
    }
    if (!pending_.empty()) return {};
    if (batch_ == 0) {
      for (const std::size_t candidate : free_candidates(stream("initial"), options_.initial)) {
        pending_.push_back({candidate, Pass::initial});
      }
      return {};
    }
    auto forecast = predict();
    if (!forecast) return tl::unexpected(std::move(forecast).error());
    const std::vector<std::size_t> order = free_candidates(stream("ties"), taken_.size());
    const BatchShares shares = split_batch(options_, std::min(options_.batch_size, order.size()));
    pending_ = select_batch(score_candidates(observed_, *forecast, options_.static_power), shares, order);
    return {};
  }

  std::uint64_t stream(std::string_view name) const {
    return derive_seed(options_.seed, fmt::format("search/batch {}/{}", batch_, name));
  }

  /// Up to `limit` candidates that no batch has suggested, in random order.
  std::vector<std::size_t> free_candidates(std::uint64_t seed, std::size_t limit) const {
    std::vector<std::size_t> order = Random(seed).permutation(taken_.size());
    std::erase_if(order, [&](std::size_t candidate) { return taken_[candidate]; });
    order.resize(std::min(limit, order.size()));
    return order;
  }

  Result<Forecast> predict() const {
    std::vector<std::size_t> all(observed_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Forecast forecast;
    auto mean = predict_from(all, "mean");
    if (!mean) return tl::unexpected(std::move(mean).error());
    forecast.mean = std::move(*mean);
    const double wanted = std::round(options_.bootstrap_fraction * static_cast<double>(observed_.size()));
    const auto draws = static_cast<std::size_t>(std::max(1.0, wanted));
    for (int m = 0; m < options_.ensemble; ++m) {
      const std::string name = fmt::format("member {}", m);
      Random random(stream(name + "/draws"));
      std::vector<std::size_t> sample(draws);
      for (std::size_t& draw : sample) draw = random.below(observed_.size());
      auto member = predict_from(sample, name);
      if (!member) return tl::unexpected(std::move(member).error());
      forecast.ensemble.push_back(std::move(*member));
    }
    return forecast;
  }

  /// Fits one surrogate per objective to the given observations and predicts the whole space.
  Result<std::vector<Objectives>> predict_from(std::span<const std::size_t> sample, const std::string& name) const {
    std::vector<std::size_t> rows;
    std::vector<double> times;
    std::vector<double> energies;
    for (const std::size_t i : sample) {
      rows.push_back(observed_candidates_[i]);
      times.push_back(observed_[i].time);
      energies.push_back(observed_[i].energy);
    }
    const FeatureMatrix x = features_.select(rows);
    const auto model = [&](std::span<const double> labels, std::string_view target) -> Result<std::vector<double>> {
      const auto surrogate = make_surrogate_();
      KAREUS_RETURN_IF_ERROR(surrogate->fit(x, labels, stream(fmt::format("{}/{}", name, target))));
      return surrogate->predict(features_);
    };
    auto time = model(times, "time");
    if (!time) return tl::unexpected(std::move(time).error());
    auto energy = model(energies, "energy");
    if (!energy) return tl::unexpected(std::move(energy).error());
    std::vector<Objectives> predictions(time->size());
    for (std::size_t i = 0; i < predictions.size(); ++i) predictions[i] = {(*time)[i], (*energy)[i]};
    return predictions;
  }

  /// Takes the pending batch, all of which has been told, into the data.
  void consume() {
    const std::size_t observed_before = observed_.size();
    for (const Suggestion& suggestion : pending_) {
      taken_[suggestion.candidate] = true;
      if (const auto objectives = ledger_.objectives(suggestion.candidate)) {
        observed_candidates_.push_back(suggestion.candidate);
        observed_.push_back(*objectives);
      }
    }
    consumed_ += pending_.size();
    pending_.clear();
    // A batch of failures says nothing about how much there is left to gain.
    if (batch_ > 0 && observed_.size() > observed_before) {
      const auto total = with_static_energy(observed_, options_.static_power);
      // The composition needs the fronts in both energies, so both must have stopped growing.
      gains_.push_back(std::max(relative_gain(observed_, observed_before), relative_gain(total, observed_before)));
    }
    ++batch_;
    if (!hopeless()) finished_ = reason_to_stop();
  }

  std::optional<std::string> reason_to_stop() const {
    constexpr std::size_t kWindow = 2;
    if (consumed_ == taken_.size()) return "exhausted";
    if (batch_ > options_.batches) return "budget";
    if (gains_.size() >= kWindow) {
      double mean = 0.0;
      for (std::size_t i = gains_.size() - kWindow; i < gains_.size(); ++i) mean += gains_[i] / kWindow;
      if (mean < options_.convergence_threshold) return "converged";
    }
    return std::nullopt;
  }

  MultiPassOptions options_;
  SurrogateFactory make_surrogate_;
  FeatureMatrix features_;  ///< of the whole space, built once and predicted on ever after
  Ledger ledger_;

  std::size_t batch_ = 0;  ///< index of the pending batch; 0 is the initial design
  std::vector<Suggestion> pending_;
  std::vector<bool> taken_;       ///< suggested by a batch that is over
  std::vector<bool> handed_out_;  ///< by ask_more()
  std::size_t consumed_ = 0;      ///< number of those
  std::vector<std::size_t> observed_candidates_;
  std::vector<Objectives> observed_;  ///< the successful ones, in the order of the suggestions; dynamic energy
  std::vector<double> gains_;         ///< relative gain of each batch after the initial design
  std::optional<std::string> finished_;
};

}  // namespace

Result<std::unique_ptr<Optimizer>> make_multi_pass_with(Space space, MultiPassOptions options,
                                                        SurrogateFactory make_surrogate) {
  KAREUS_RETURN_IF_ERROR(check_space(space));
  KAREUS_RETURN_IF_ERROR(check_options(options));
  return std::make_unique<MultiPass>(space, options, std::move(make_surrogate));
}

Result<std::unique_ptr<Optimizer>> make_multi_pass(Space space, MultiPassOptions options) {
  return make_multi_pass_with(std::move(space), options, make_xgboost_surrogate);
}

}  // namespace kareus::search
