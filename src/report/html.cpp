#include "report/html.hpp"

#include <algorithm>

#include "kareus/result.hpp"

namespace kareus::report {

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else if (c == '\'')
      escaped += "&#39;";
    else
      escaped += c;
  }
  return escaped;
}

std::string escape_json_for_script(std::string_view json) {
  // A `<` of a JSON text is always inside a string, where the escape means the same character.
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      escaped += "\\u003c";
    else
      escaped += c;
  }
  return escaped;
}

std::string fill_template(std::string_view text,
                          std::span<const std::pair<std::string_view, std::string_view>> values) {
  std::string page;
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{")) {
    const std::size_t end = text.find("}}", at);
    KAREUS_CHECK(end != std::string_view::npos);
    const std::string_view name = text.substr(at + 2, end - at - 2);
    const auto value =
        std::find_if(values.begin(), values.end(), [&](const auto& entry) { return entry.first == name; });
    KAREUS_CHECK(value != values.end());
    page += text.substr(0, at);
    page += value->second;
    text.remove_prefix(end + 2);
  }
  page += text;
  return page;
}

}  // namespace kareus::report
