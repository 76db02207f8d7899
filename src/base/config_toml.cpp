#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/config.hpp"

namespace kareus {
namespace {

constexpr int kMaximumDepth = 64;

Result<ConfigValue> convert(const toml::node& node, const std::string& name, int depth) {
  const toml::source_position at = node.source().begin;
  ConfigValue value{.data = {}, .line = static_cast<int>(at.line), .column = static_cast<int>(at.column)};
  const auto place = fmt::format("{}:{}:{}", name, value.line, value.column);
  if (depth > kMaximumDepth) return fail(ErrorCode::bad_input, "is nested too deeply", place);
  if (const auto* table = node.as_table()) {
    ConfigValue::Table entries;
    for (const auto& [key, child] : *table) {
      auto converted = convert(child, name, depth + 1);
      if (!converted) return converted;
      // A key is where a person looks for it, so its place is reported and not that of the value behind it.
      converted->line = static_cast<int>(key.source().begin.line);
      converted->column = static_cast<int>(key.source().begin.column);
      entries.emplace(std::string(key.str()), std::move(*converted));
    }
    value.data = std::move(entries);
  } else if (const auto* array = node.as_array()) {
    ConfigValue::Array elements;
    for (const auto& child : *array) {
      auto converted = convert(child, name, depth + 1);
      if (!converted) return converted;
      elements.push_back(std::move(*converted));
    }
    value.data = std::move(elements);
  } else if (const auto* text = node.as_string()) {
    value.data = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.data = real->get();
  } else if (const auto* flag = node.as_boolean()) {
    value.data = flag->get();
  } else {
    return fail(ErrorCode::bad_input, "dates and times are not used here", place);
  }
  return value;
}

}  // namespace

Result<ConfigDocument> parse_toml(std::string_view text, std::string name) {
  try {
    const toml::table table = toml::parse(text, name);
    auto root = convert(table, name, 0);
    if (!root) return tl::unexpected(std::move(root).error());
    root->line = 1;
    root->column = 1;
    return ConfigDocument{std::move(name), std::move(*root)};
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    return fail(ErrorCode::bad_input, std::string(error.description()),
                fmt::format("{}:{}:{}", name, at.line, at.column));
  }
}

}  // namespace kareus
