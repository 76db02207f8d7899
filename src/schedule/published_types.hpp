#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kareus/result.hpp"
#include "kareus/schedule.hpp"

namespace kareus::schedule {

/// The partition types of one instruction in the order in which a published plan writes their configurations.
struct PublishedLayout {
  std::vector<std::string> recomputed;  ///< written first; empty without activation checkpointing
  std::vector<std::string> partitions;
};

/// Number of types in all.
inline std::size_t size(const PublishedLayout& layout) {
  return layout.recomputed.size() + layout.partitions.size();
}

/// The layout of an instruction with or without context parallelism. `recompute` counts for the backward only.
PublishedLayout published_layout(InstructionKind kind, bool context_parallel, bool recompute);

/// Parses `start-end-SMs-block` for a partition type: the start is a slot name or, in the legacy format, the index of a
/// compute operator, which is translated. `end` and `block` are checked and dropped: communication always runs to its
/// end, with blocks of one size. Errors: bad_input, without a place.
Result<PartitionConfig> parse_published_config(std::string_view text, std::string_view type);

}  // namespace kareus::schedule
