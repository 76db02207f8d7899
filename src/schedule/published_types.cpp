#include "schedule/published_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace kareus::schedule {
namespace {

constexpr int kMostSms = 1024;
constexpr int kGreatestBlock = 1024;

/// What published plans know of one partition type.
struct PublishedType {
  std::vector<std::string> names;                   ///< types that share the compute, hence the slots
  std::vector<std::string> slots;                   ///< launch slots in execution order
  std::vector<std::pair<int, std::string>> legacy;  ///< operator index that starts a slot, in the legacy format
};

/// The legacy format counts the kernels of a partition: a forward linear layer counts as two (product and bias).
/// `bwd_qkv_*` of that time went on to the norm's gradient behind the linear layer, which a later partition has now, so
/// its third index names a slot that the present type does not have.
const std::vector<PublishedType>& published_types() {
  static const std::vector<PublishedType> kTypes = {
      {{"fwd_attn"},
       {"norm_0", "linear_0", "rope_0", "attn_0", "linear_1"},
       {{0, "norm_0"}, {2, "linear_0"}, {4, "rope_0"}, {6, "attn_0"}, {7, "linear_1"}}},
      {{"bwd_attn"},
       {"norm_0", "linear_0", "attn_0", "rope_0", "linear_1"},
       {{0, "norm_0"}, {2, "linear_0"}, {3, "attn_0"}, {5, "rope_0"}}},
      {{"fwd_mlp"},
       {"norm_0", "linear_0", "activation_0", "linear_1"},
       {{0, "norm_0"}, {2, "linear_0"}, {4, "activation_0"}, {5, "linear_1"}}},
      {{"bwd_mlp"},
       {"norm_0", "linear_0", "activation_0", "linear_1"},
       {{0, "norm_0"}, {2, "linear_0"}, {3, "activation_0"}}},
      {{"fwd_qkv_ar", "fwd_qkv_ag"}, {"norm_0", "linear_0", "rope_0"}, {{0, "norm_0"}, {2, "linear_0"}, {4, "rope_0"}}},
      {{"fwd_ao_ag", "fwd_ao_ar"}, {"attn_0", "linear_0"}, {{0, "attn_0"}, {1, "linear_0"}}},
      {{"bwd_qkv_ar", "bwd_qkv_rs"}, {"rope_0", "linear_0"}, {{0, "rope_0"}, {2, "linear_0"}, {4, "norm_0"}}},
      {{"bwd_a_rs", "bwd_a_ag"}, {"attn_0"}, {{0, "attn_0"}}},
      {{"bwd_o_ag", "bwd_o_ar"}, {"norm_0", "linear_0"}, {{0, "norm_0"}, {1, "linear_0"}}},
  };
  return kTypes;
}

const PublishedType& find_type(std::string_view name) {
  const auto& types = published_types();
  const auto found = std::find_if(types.begin(), types.end(), [&](const PublishedType& type) {
    return std::find(type.names.begin(), type.names.end(), name) != type.names.end();
  });
  KAREUS_CHECK(found != types.end());
  return *found;
}

std::optional<int> parse_integer(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Removes the part behind the last dash.
std::string_view take_last(std::string_view& text) {
  const std::size_t dash = text.rfind('-');
  const std::string_view last = dash == std::string_view::npos ? text : text.substr(dash + 1);
  text = dash == std::string_view::npos ? std::string_view{} : text.substr(0, dash);
  return last;
}

Result<std::string> translate_index(int index, std::string_view type) {
  if (index == -1) return std::string(kNoSlot);
  std::vector<std::string> known;
  for (const auto& [start, slot] : find_type(type).legacy) {
    if (start == index) return slot;
    known.push_back(std::to_string(start));
  }
  return fail(ErrorCode::bad_input, fmt::format("operator {} does not start a launch slot of {}", index, type), "",
              fmt::format("slots start at {}; -1 is none", join_words(known)));
}

Result<std::string> check_slot(std::string_view slot, std::string_view type) {
  std::vector<std::string> known = find_type(type).slots;
  known.emplace_back(kNoSlot);
  if (std::find(known.begin(), known.end(), slot) != known.end()) return std::string(slot);
  return fail(ErrorCode::bad_input, fmt::format("{} has no launch slot '{}'", type, slot), "", suggestion(slot, known));
}

/// The start of a window `start-end`: two slot names or two operator indices.
Result<std::string> parse_window(std::string_view window, std::string_view type) {
  const auto separator = window.find('-', 1);
  if (separator == std::string_view::npos) {
    return fail(ErrorCode::bad_input, fmt::format("'{}' is no launch window 'start-end'", window));
  }
  const std::string_view start = window.substr(0, separator);
  const std::string_view end = window.substr(separator + 1);
  const auto start_index = parse_integer(start);
  const auto end_index = parse_integer(end);
  if (start_index && end_index) {
    if (*end_index < *start_index) {
      return fail(ErrorCode::bad_input, fmt::format("the launch window {} ends before it starts", window));
    }
    return translate_index(*start_index, type);
  }
  if (start_index || end_index) {
    return fail(ErrorCode::bad_input, fmt::format("the launch window '{}' mixes a name and an index", window));
  }
  KAREUS_RETURN_IF_ERROR(check_slot(end, type));
  return check_slot(start, type);
}

}  // namespace

PublishedLayout published_layout(InstructionKind kind, bool context_parallel, bool recompute) {
  const std::vector<std::string> forward =
      context_parallel ? std::vector<std::string>{"fwd_qkv_ar", "fwd_qkv_ag", "fwd_ao_ag", "fwd_ao_ar", "fwd_mlp"}
                       : std::vector<std::string>{"fwd_attn", "fwd_mlp"};
  switch (kind) {
    case InstructionKind::forward:
      return {.recomputed = {}, .partitions = forward};
    case InstructionKind::backward:
      break;
  }
  PublishedLayout layout;
  if (recompute) layout.recomputed = forward;
  layout.partitions = context_parallel ? std::vector<std::string>{"bwd_qkv_ar", "bwd_qkv_rs", "bwd_a_rs", "bwd_a_ag",
                                                                  "bwd_o_ag",   "bwd_o_ar",   "bwd_mlp"}
                                       : std::vector<std::string>{"bwd_attn", "bwd_mlp"};
  return layout;
}

Result<PartitionConfig> parse_published_config(std::string_view text, std::string_view type) {
  std::string_view window = text;
  const auto block = parse_integer(take_last(window));
  const auto sm_count = parse_integer(take_last(window));
  if (!block || !sm_count || window.empty()) {
    return fail(ErrorCode::bad_input, fmt::format("'{}' is no configuration 'start-end-SMs-block'", text));
  }
  if (*sm_count < 1 || *sm_count > kMostSms || *block < 1 || *block > kGreatestBlock) {
    return fail(ErrorCode::bad_input,
                fmt::format("'{}' needs 1 to {} SMs and blocks of 1 to {} threads", text, kMostSms, kGreatestBlock));
  }
  auto slot = parse_window(window, type);
  if (!slot) return tl::unexpected(std::move(slot).error());
  return PartitionConfig{.sm_count = SmCount{*sm_count}, .launch_slot = std::move(*slot)};
}

}  // namespace kareus::schedule
