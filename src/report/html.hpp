#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kareus::report {

/// Text as it may stand in an element or a quoted attribute.
std::string escape_html(std::string_view text);

/// JSON as it may stand in a script element: no `<` is left that could end the element or open a comment.
std::string escape_json_for_script(std::string_view json);

/// Replaces every `{{name}}` of the template once; values are not looked into. A place without a value, or one that is
/// never closed, is a logic error.
std::string fill_template(std::string_view text, std::span<const std::pair<std::string_view, std::string_view>> values);

}  // namespace kareus::report
