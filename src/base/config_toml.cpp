#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace kareus {
namespace {

/// Thrown where the parser's own assertions do not hold, as some malformed keys make them.
struct ParserAssertion : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace
}  // namespace kareus

// With NDEBUG the library turns its assertions into assumptions, and hostile input into undefined behaviour; the
// compiled library of the distribution was built so. Hence its headers, with assertions that throw.
#undef NDEBUG
#define TOML_ASSERT(expression)                                      \
  do {                                                               \
    if (!(expression)) throw ::kareus::ParserAssertion(#expression); \
  } while (false)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"  // in accessors that no input reaches with a false assertion
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include "base/config.hpp"

namespace kareus {
namespace {

/// Offset behind the quoted text that starts at `at`; the end of the text when it is not closed.
std::size_t skip_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool multiline = text.substr(at, 3) == triple;
  for (std::size_t i = at + (multiline ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (multiline ? text.substr(i, 3) == triple : text[i] == quote || text[i] == '\n') {
      return i + (multiline ? 3 : 1);
    }
  }
  return text.size();
}

/// Offset of the first character outside ASCII that is in no quoted text and no comment. TOML has no place for one
/// there, and the library's tables of letters do not expect every one.
std::optional<std::size_t> stray_character(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::size_t i = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (i < text.size()) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (text[i] == '"' || text[i] == '\'') {
      i = skip_quoted(text, i);
    } else if (static_cast<unsigned char>(text[i]) >= 0x80U) {
      return i;
    } else {
      ++i;
    }
  }
  return std::nullopt;
}

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
  if (const auto stray = stray_character(text)) {
    const auto before = text.substr(0, *stray);
    const auto line_start = before.rfind('\n') + 1;  // 0 when there is no line before
    return fail(
        ErrorCode::bad_input, "a character outside ASCII that is not in quotes",
        fmt::format("{}:{}:{}", name, 1 + std::count(before.begin(), before.end(), '\n'), *stray - line_start + 1),
        "put it in quotes or remove it");
  }
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
  } catch (const ParserAssertion&) {
    return fail(ErrorCode::bad_input, "is not valid TOML: a key or table header is malformed", name);
  }
}

}  // namespace kareus
