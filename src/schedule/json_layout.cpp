#include "schedule/json_layout.hpp"

#include <algorithm>

namespace kareus::schedule {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestObject = 240;

bool is_plain_array(const Json& json) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [](const Json& child) { return child.is_primitive(); });
}

bool has_array(const Json& json) {
  if (json.is_array()) return true;
  return json.is_object() && std::any_of(json.begin(), json.end(), [](const Json& child) { return has_array(child); });
}

/// On one line, with a space after commas and colons.
void write_line(const Json& json, std::string& text) {
  if (json.is_primitive()) {
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  text += json.is_array() ? '[' : '{';
  bool first = true;
  for (const auto& item : json.items()) {
    if (!first) text += ", ";
    first = false;
    if (json.is_object()) {
      write_line(Json(item.key()), text);
      text += ": ";
    }
    write_line(item.value(), text);
  }
  text += json.is_array() ? ']' : '}';
}

void write(const Json& json, std::size_t indent, std::string& text) {
  const bool line = json.is_primitive() || json.empty() || is_plain_array(json) ||
                    (json.is_object() && json.size() == 1 && is_plain_array(json.front()));
  if (line) return write_line(json, text);
  if (json.is_object() && indent > 0 && !has_array(json)) {
    std::string candidate;
    write_line(json, candidate);
    if (candidate.size() <= kLongestObject) {
      text += candidate;
      return;
    }
  }
  text += json.is_array() ? "[\n" : "{\n";
  bool first = true;
  for (const auto& item : json.items()) {
    if (!first) text += ",\n";
    first = false;
    text.append(indent + 2, ' ');
    if (json.is_object()) {
      write_line(Json(item.key()), text);
      text += ": ";
    }
    write(item.value(), indent + 2, text);
  }
  text += '\n';
  text.append(indent, ' ');
  text += json.is_array() ? ']' : '}';
}

}  // namespace

std::string layout_json(const Json& json) {
  std::string text;
  write(json, 0, text);
  text += '\n';
  return text;
}

}  // namespace kareus::schedule
