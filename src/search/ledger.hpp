#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {

/// One measurement of a candidate as it was told; no objectives when it failed.
struct Told {
  std::size_t repeat = 0;
  std::optional<Objectives> objectives;
  bool censored = false;
  Objectives variance;
};

/// What repeats of one candidate add up to: their median (of two, their mean); nothing when every one failed or was
/// censored.
std::optional<Objectives> combined(std::span<const Told> repeats);

/// What has been told about each candidate, whoever asked for it.
class Ledger {
 public:
  explicit Ledger(std::size_t candidates) : entries_(candidates) {}

  /// Adds all of the evaluations or, on an error, none. Telling the same again changes nothing. Objectives that are
  /// not usable() are kept as a failure. Errors: bad_input for an unknown candidate and for one told differently.
  Result<void> add(std::span<const Evaluation> evaluations);

  std::size_t candidates() const { return entries_.size(); }
  bool told(std::size_t candidate) const { return !entries_[candidate].empty(); }
  /// The measurement with that number of the candidate; nullptr when it was not told.
  const Told* find(std::size_t candidate, std::size_t repeat) const;
  std::span<const Told> repeats(std::size_t candidate) const { return entries_[candidate]; }
  /// All repeats combined; nothing if there is nothing usable.
  std::optional<Objectives> objectives(std::size_t candidate) const { return combined(entries_[candidate]); }
  /// Number of candidates told.
  std::size_t size() const { return size_; }
  /// objectives() of every candidate that has them.
  std::vector<Estimate> estimates() const;

 private:
  std::vector<std::vector<Told>> entries_;  ///< ascending in repeat
  std::size_t size_ = 0;
};

/// Whether a search can compute with the objectives: finite, of a magnitude that products do not overflow, and of
/// positive time.
bool usable(Objectives objectives);

}  // namespace kareus::search
