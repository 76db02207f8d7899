#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kareus::schedule {

/// Text of a JSON value, two spaces per level and a final line break. Arrays of plain values, short objects without
/// arrays and objects with such an array alone stand on one line. The text is a function of the value.
std::string layout_json(const nlohmann::ordered_json& json);

}  // namespace kareus::schedule
