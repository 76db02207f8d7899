#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/schedule.hpp"

namespace kareus::schedule {

/// A text and the name that problems in it are reported with.
struct NamedText {
  std::string_view text;
  std::string name;
};

/// What the trailing comments of a published file say.
struct PublishedCosts {
  std::optional<double> effective_energy_j;
  std::optional<double> total_energy_j;
  std::optional<long> iteration;
};

/// One published file: `freqs_pipeline_*` sets the clocks, `scheds_pipeline_*` the partitions.
struct PublishedFile {
  std::vector<std::vector<ImportedInstruction>> stages;
  /// Each stage lists the forward and backward of microbatch after microbatch and not in execution order (files written
  /// without activation checkpointing).
  bool by_microbatch = false;
  PublishedCosts costs;
};

/// Errors: bad_input with line and column; every problem of a well-formed literal at once.
Result<PublishedFile> read_published_clocks(const NamedText& file);
Result<PublishedFile> read_published_schedules(const NamedText& file);

/// import_published_plan() on texts.
Result<ImportedPlan> import_published_plan(const NamedText& clocks, const std::optional<NamedText>& schedules);

}  // namespace kareus::schedule
