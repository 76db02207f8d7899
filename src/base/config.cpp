#include "base/config.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/files.hpp"
#include "base/text.hpp"

namespace kareus {
namespace {

std::string type_name(const ConfigValue& value) {
  static constexpr const char* kNames[] = {"null",   "a boolean", "an integer", "a number",
                                           "a text", "an array",  "a table"};
  return kNames[value.data.index()];
}

template <class T>
std::string describe(Bounds<T> bounds) {
  const bool has_low = bounds.low != std::numeric_limits<T>::lowest();
  const bool has_high = bounds.high != std::numeric_limits<T>::max();
  if (has_low && has_high) return fmt::format("from {} to {}", bounds.low, bounds.high);
  if (has_low) return fmt::format("at least {}", bounds.low);
  return fmt::format("at most {}", bounds.high);
}

}  // namespace

Result<ConfigDocument> read_config(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(std::move(text).error());
  return path.extension() == ".json" ? parse_json(*text, path.string()) : parse_toml(*text, path.string());
}

ConfigReader::ConfigReader(const ConfigDocument& document, std::vector<Problem>& problems)
    : ConfigReader(document, document.root, "", problems) {}

ConfigReader::ConfigReader(const ConfigDocument& document, const ConfigValue& value, std::string path,
                           std::vector<Problem>& problems)
    : document_(&document), value_(&value), path_(std::move(path)), problems_(&problems) {
  KAREUS_CHECK(std::holds_alternative<ConfigValue::Table>(value.data));
}

bool ConfigReader::has(std::string_view key) const {
  return std::get<ConfigValue::Table>(value_->data).contains(key);
}

std::vector<std::string> ConfigReader::keys() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : std::get<ConfigValue::Table>(value_->data)) names.push_back(name);
  return names;
}

const ConfigValue* ConfigReader::find(std::string_view key, bool required) {
  asked_.emplace(key);
  const auto& table = std::get<ConfigValue::Table>(value_->data);
  const auto found = table.find(key);
  if (found != table.end()) return &found->second;
  if (required) report("", fmt::format("'{}' is missing", key));
  return nullptr;
}

std::string ConfigReader::place(const ConfigValue& value, const std::string& path) const {
  if (value.line > 0) return fmt::format("{}:{}:{}", document_->name, value.line, value.column);
  return path.empty() ? document_->name : fmt::format("{}: {}", document_->name, path);
}

std::string ConfigReader::where(std::string_view key) const {
  const auto& table = std::get<ConfigValue::Table>(value_->data);
  const auto found = table.find(key);
  if (found == table.end()) return place(*value_, path_);
  return place(found->second, fmt::format("{}/{}", path_, key));
}

void ConfigReader::report(std::string_view key, std::string what, std::string hint) {
  problems_->push_back({where(key), std::move(what), std::move(hint)});
}

void ConfigReader::wrong_type(const ConfigValue& value, const std::string& path, std::string_view expected) {
  const std::string key = path.substr(path.rfind('/') + 1);
  problems_->push_back(
      {place(value, path), fmt::format("'{}' must be {}, not {}", key, expected, type_name(value)), ""});
}

std::optional<std::int64_t> ConfigReader::checked_integer(const ConfigValue& value, const std::string& path,
                                                          Bounds<std::int64_t> bounds) {
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number == nullptr) {
    wrong_type(value, path, "an integer");
    return std::nullopt;
  }
  if (*number < bounds.low || *number > bounds.high) {
    const std::string key = path.substr(path.rfind('/') + 1);
    problems_->push_back(
        {place(value, path), fmt::format("'{}' must be {}, not {}", key, describe(bounds), *number), ""});
    return std::nullopt;
  }
  return *number;
}

std::optional<double> ConfigReader::checked_number(const ConfigValue& value, const std::string& path,
                                                   Bounds<double> bounds) {
  double number = 0.0;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value.data)) {
    number = *real;
  } else {
    wrong_type(value, path, "a number");
    return std::nullopt;
  }
  const std::string key = path.substr(path.rfind('/') + 1);
  if (!std::isfinite(number)) {
    problems_->push_back({place(value, path), fmt::format("'{}' must be a finite number", key), ""});
    return std::nullopt;
  }
  if (number < bounds.low || number > bounds.high) {
    problems_->push_back(
        {place(value, path), fmt::format("'{}' must be {}, not {}", key, describe(bounds), number), ""});
    return std::nullopt;
  }
  return number;
}

std::string ConfigReader::text(std::string_view key) {
  const ConfigValue* value = find(key, true);
  if (value == nullptr) return {};
  if (const auto* text = std::get_if<std::string>(&value->data)) return *text;
  wrong_type(*value, fmt::format("{}/{}", path_, key), "a text");
  return {};
}

std::int64_t ConfigReader::integer(std::string_view key, Bounds<std::int64_t> bounds) {
  const ConfigValue* value = find(key, true);
  return value == nullptr ? 0 : checked_integer(*value, fmt::format("{}/{}", path_, key), bounds).value_or(0);
}

double ConfigReader::number(std::string_view key, Bounds<double> bounds) {
  const ConfigValue* value = find(key, true);
  return value == nullptr ? 0.0 : checked_number(*value, fmt::format("{}/{}", path_, key), bounds).value_or(0.0);
}

bool ConfigReader::boolean(std::string_view key) {
  const ConfigValue* value = find(key, true);
  if (value == nullptr) return false;
  if (const auto* flag = std::get_if<bool>(&value->data)) return *flag;
  wrong_type(*value, fmt::format("{}/{}", path_, key), "true or false");
  return false;
}

std::string ConfigReader::text_or(std::string_view key, std::string_view otherwise) {
  return find(key, false) == nullptr ? std::string(otherwise) : text(key);
}

std::int64_t ConfigReader::integer_or(std::string_view key, std::int64_t otherwise, Bounds<std::int64_t> bounds) {
  return find(key, false) == nullptr ? otherwise : integer(key, bounds);
}

double ConfigReader::number_or(std::string_view key, double otherwise, Bounds<double> bounds) {
  return find(key, false) == nullptr ? otherwise : number(key, bounds);
}

bool ConfigReader::boolean_or(std::string_view key, bool otherwise) {
  return find(key, false) == nullptr ? otherwise : boolean(key);
}

template <class T, class Convert>
std::vector<T> ConfigReader::array(std::string_view key, Convert convert) {
  std::vector<T> result;
  const ConfigValue* value = find(key, true);
  if (value == nullptr) return result;
  const std::string path = fmt::format("{}/{}", path_, key);
  const auto* elements = std::get_if<ConfigValue::Array>(&value->data);
  if (elements == nullptr) {
    wrong_type(*value, path, "an array");
    return result;
  }
  result.reserve(elements->size());
  for (std::size_t i = 0; i < elements->size(); ++i) {
    if (auto element = convert((*elements)[i], fmt::format("{}/{}", path, i))) result.push_back(std::move(*element));
  }
  return result;
}

std::vector<std::int64_t> ConfigReader::integers(std::string_view key, Bounds<std::int64_t> bounds) {
  return array<std::int64_t>(
      key, [&](const ConfigValue& value, const std::string& path) { return checked_integer(value, path, bounds); });
}

std::vector<double> ConfigReader::numbers(std::string_view key, Bounds<double> bounds) {
  return array<double>(
      key, [&](const ConfigValue& value, const std::string& path) { return checked_number(value, path, bounds); });
}

std::vector<std::string> ConfigReader::texts(std::string_view key) {
  return array<std::string>(key, [&](const ConfigValue& value, const std::string& path) -> std::optional<std::string> {
    if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
    wrong_type(value, path, "a text");
    return std::nullopt;
  });
}

std::vector<ConfigReader> ConfigReader::tables(std::string_view key) {
  return array<ConfigReader>(key,
                             [&](const ConfigValue& value, const std::string& path) -> std::optional<ConfigReader> {
                               if (std::holds_alternative<ConfigValue::Table>(value.data)) {
                                 return ConfigReader(*document_, value, path, *problems_);
                               }
                               wrong_type(value, path, "a table");
                               return std::nullopt;
                             });
}

std::optional<ConfigReader> ConfigReader::table(std::string_view key) {
  if (find(key, true) == nullptr) return std::nullopt;
  return table_if(key);
}

std::optional<ConfigReader> ConfigReader::table_if(std::string_view key) {
  const ConfigValue* value = find(key, false);
  if (value == nullptr) return std::nullopt;
  const std::string path = fmt::format("{}/{}", path_, key);
  if (std::holds_alternative<ConfigValue::Table>(value->data)) {
    return ConfigReader(*document_, *value, path, *problems_);
  }
  wrong_type(*value, path, "a table");
  return std::nullopt;
}

void ConfigReader::reject_unknown_keys() {
  const std::vector<std::string> known(asked_.begin(), asked_.end());
  for (const std::string& key : keys()) {
    if (!asked_.contains(key)) report(key, fmt::format("unknown key '{}'", key), suggestion(key, known));
  }
}

}  // namespace kareus
