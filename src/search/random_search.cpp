#include <algorithm>

#include "base/text.hpp"
#include "kareus/search.hpp"
#include "search/features.hpp"
#include "search/ledger.hpp"
#include "search/random.hpp"

namespace kareus::search {
namespace {

/// One batch of everything: nothing that is told could change the order.
class RandomSearch final : public Optimizer {
 public:
  RandomSearch(std::size_t candidates, std::size_t budget, std::uint64_t seed) : ledger_(candidates) {
    order_ = Random(derive_seed(seed, "search/random")).permutation(candidates);
    order_.resize(std::min(budget, candidates));
  }

  Result<std::vector<Suggestion>> ask() override {
    std::vector<Suggestion> open;
    for (const std::size_t candidate : order_) {
      if (!ledger_.told(candidate)) open.push_back({candidate, Pass::initial});
    }
    return open;
  }

  Result<std::vector<Suggestion>> ask_more(std::size_t count) override {
    std::vector<Suggestion> more;
    for (; handed_out_ < order_.size() && more.size() < count; ++handed_out_) {
      const std::size_t candidate = order_[handed_out_];
      if (!ledger_.told(candidate)) more.push_back({candidate, Pass::initial});
    }
    return more;
  }

  Result<std::vector<Estimate>> estimates() const override { return ledger_.estimates(); }

  Result<void> tell(std::span<const Evaluation> evaluations) override { return ledger_.add(evaluations); }

  std::optional<std::string> finished() const override {
    const auto told = [&](std::size_t candidate) { return ledger_.told(candidate); };
    if (!std::all_of(order_.begin(), order_.end(), told)) return std::nullopt;
    return order_.size() == ledger_.candidates() ? "exhausted" : "budget";
  }

 private:
  Ledger ledger_;
  std::vector<std::size_t> order_;
  std::size_t handed_out_ = 0;  ///< of the order, by ask_more()
};

}  // namespace

Result<std::unique_ptr<Optimizer>> make_random(Space space, std::size_t budget, std::uint64_t seed) {
  KAREUS_RETURN_IF_ERROR(check_space(space));
  return std::make_unique<RandomSearch>(space.rows.size(), budget, seed);
}

}  // namespace kareus::search
