#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kareus/search.hpp"

namespace kareus::search {

/// What has been told about each candidate, whoever asked for it.
class Ledger {
 public:
  explicit Ledger(std::size_t candidates) : entries_(candidates) {}

  /// Adds all of the evaluations or, on an error, none. Telling the same again changes nothing. Objectives that are
  /// not usable() are kept as a failure. Errors: bad_input for an unknown candidate and for one told differently.
  Result<void> add(std::span<const Evaluation> evaluations);

  std::size_t candidates() const { return entries_.size(); }
  bool told(std::size_t candidate) const { return entries_[candidate].told; }
  /// Nothing if it failed. Pre: told.
  const std::optional<Objectives>& objectives(std::size_t candidate) const { return entries_[candidate].objectives; }
  /// Number of candidates told.
  std::size_t size() const { return size_; }

 private:
  struct Entry {
    bool told = false;
    std::optional<Objectives> objectives;
  };
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

/// Whether a search can compute with the objectives: finite, of a magnitude that products do not overflow, and of
/// positive time.
bool usable(Objectives objectives);

}  // namespace kareus::search
