#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/config.hpp"

namespace kareus {
namespace {

constexpr std::size_t kMaximumDepth = 64;

ConfigValue convert(nlohmann::json& json) {
  ConfigValue value;
  switch (json.type()) {
    case nlohmann::json::value_t::object: {
      ConfigValue::Table entries;
      for (auto& [key, child] : json.items()) entries.emplace(key, convert(child));
      value.data = std::move(entries);
      break;
    }
    case nlohmann::json::value_t::array: {
      ConfigValue::Array elements;
      elements.reserve(json.size());
      for (auto& child : json) elements.push_back(convert(child));
      value.data = std::move(elements);
      break;
    }
    case nlohmann::json::value_t::string:
      value.data = std::move(json.get_ref<std::string&>());
      break;
    case nlohmann::json::value_t::boolean:
      value.data = json.get<bool>();
      break;
    case nlohmann::json::value_t::number_integer:
      value.data = json.get<std::int64_t>();
      break;
    case nlohmann::json::value_t::number_unsigned: {
      const auto number = json.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        value.data = static_cast<std::int64_t>(number);
      } else {
        value.data = static_cast<double>(number);
      }
      break;
    }
    case nlohmann::json::value_t::number_float:
      value.data = json.get<double>();
      break;
    case nlohmann::json::value_t::null:
    case nlohmann::json::value_t::binary:
    case nlohmann::json::value_t::discarded:
      break;
  }
  return value;
}

std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last_break = before.rfind('\n');
  const auto column = before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1) + 1;
  return fmt::format("{}:{}", line, column);
}

}  // namespace

Result<ConfigDocument> parse_json(std::string_view text, std::string name) {
  bool too_deep = false;
  const auto watch_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    too_deep = too_deep || static_cast<std::size_t>(depth) > kMaximumDepth;
    return !too_deep;
  };
  try {
    nlohmann::json json = nlohmann::json::parse(text, watch_depth);
    if (too_deep)
      return fail(ErrorCode::bad_input, fmt::format("is nested deeper than {} levels", kMaximumDepth), name);
    if (!json.is_object()) return fail(ErrorCode::bad_input, "must be a JSON object", name);
    return ConfigDocument{std::move(name), convert(json)};
  } catch (const nlohmann::json::parse_error& error) {
    const bool truncated = error.byte > text.size();
    return fail(ErrorCode::bad_input, truncated ? "the JSON text ends too early" : "is not valid JSON here",
                fmt::format("{}:{}", name, position(text, error.byte)),
                truncated ? "the file is truncated; write it again" : "");
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::bad_input, fmt::format("is not valid JSON: {}", error.what()), name);
  }
}

}  // namespace kareus
