#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kareus/evaluate.hpp"

namespace kareus::bench {

/// One point of a frontier as it would come out without noise.
struct ExactPoint {
  double time_s = 0;
  double energy_j = 0;
};

/// Noise-free values of a workload's configurations.
class Truth {
 public:
  Truth(const workload::Workload& workload, const evaluate::Exhaustive& all);

  /// Of the configuration of a measurement; nothing for static power.
  const profile::Measurement* find(const profile::Measurement& measurement) const;
  /// Every plan of the frontier timed again, each instruction at the exact cost of its schedule.
  Result<std::vector<ExactPoint>> evaluate(const schedule::FrontierFile& frontier) const;
  /// Schedules that evaluate() had to replace by the next one of the same configurations.
  std::size_t replaced() const { return replaced_; }

 private:
  using Key = std::tuple<std::string, Clock, std::optional<schedule::PartitionConfig>>;
  Result<schedule::InstructionOption> exact(const schedule::InstructionOption& option, std::size_t stage,
                                            schedule::InstructionKind kind) const;

  const workload::Workload& workload_;
  const evaluate::Exhaustive& all_;
  std::map<Key, const profile::Measurement*> by_configuration_;
  mutable std::size_t replaced_ = 0;
};

/// Mean over equal times of the energy above that of `best`, relative; times from the later start to the later end of
/// the two. Between points the energy is interpolated.
double mean_excess_energy(const std::vector<ExactPoint>& points, const std::vector<ExactPoint>& best);

}  // namespace kareus::bench
