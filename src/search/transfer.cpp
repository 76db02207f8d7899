#include "search/transfer.hpp"

#include <algorithm>

#include "search/ledger.hpp"
#include "search/target_model.hpp"

namespace kareus::search {
namespace {

/// The rows of both spaces over the features that both have: first those of `other`, then those of `space`.
Space joined(const Space& other, const Space& space) {
  Space result;
  std::vector<std::pair<std::size_t, std::size_t>> shared;
  for (std::size_t j = 0; j < space.features.size(); ++j) {
    const auto found = std::find(other.features.begin(), other.features.end(), space.features[j]);
    if (found == other.features.end()) continue;
    if (space.clock == j) result.clock = shared.size();
    shared.emplace_back(static_cast<std::size_t>(found - other.features.begin()), j);
    result.features.push_back(space.features[j]);
  }
  for (const auto& row : other.rows) {
    result.rows.emplace_back();
    for (const auto& [theirs, ours] : shared) result.rows.back().push_back(row[theirs]);
  }
  for (const auto& row : space.rows) {
    result.rows.emplace_back();
    for (const auto& [theirs, ours] : shared) result.rows.back().push_back(row[ours]);
  }
  return result;
}

}  // namespace

Result<Pull> transfer(const Space& other, const std::vector<Evaluation>& evaluations, const Space& space,
                      double static_power) {
  KAREUS_RETURN_IF_ERROR(check_space(other));
  const Space both = joined(other, space);
  Ledger ledger(other.rows.size());
  KAREUS_RETURN_IF_ERROR(ledger.add(evaluations));
  const std::vector<Estimate> known = ledger.estimates();
  if (both.features.empty() || known.empty()) return Pull{};
  const FeatureMatrix features(both);
  const Coordinates coordinates(both);
  const auto predict = [&](auto value_of) -> Result<std::vector<double>> {
    std::vector<Measured> values;
    for (const Estimate& one : known) values.push_back({.candidate = one.candidate, .value = value_of(one.objectives)});
    TargetModel model(coordinates, features);
    KAREUS_RETURN_IF_ERROR(model.fit(values, TargetModel::Kind::gaussian, true, false, {}, 0, 0));
    std::vector<double> result;
    for (std::size_t i = 0; i < space.rows.size(); ++i) result.push_back(model.mean(other.rows.size() + i));
    return result;
  };
  Pull pull;
  auto time = predict([](Objectives value) { return value.time; });
  if (!time) return tl::unexpected(std::move(time).error());
  auto energy = predict([&](Objectives value) { return value.energy + static_power * value.time; });
  if (!energy) return tl::unexpected(std::move(energy).error());
  return Pull{.time = std::move(*time), .energy = std::move(*energy)};
}

}  // namespace kareus::search
