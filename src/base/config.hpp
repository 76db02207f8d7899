#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kareus/result.hpp"

namespace kareus {

/// One value of a TOML or JSON file, with the place it was read from (TOML; line 0 for JSON).
struct ConfigValue {
  using Array = std::vector<ConfigValue>;
  using Table = std::map<std::string, ConfigValue, std::less<>>;

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> data;
  int line = 0;
  int column = 0;
};

/// A parsed file. `name` is what problems are reported against.
struct ConfigDocument {
  std::string name;
  ConfigValue root;
};

/// Parses TOML or JSON text. Errors: bad_input with line and column of the first syntax error, for a value nested
/// deeper than 64 levels, and for a root that is not a table.
Result<ConfigDocument> parse_toml(std::string_view text, std::string name);
Result<ConfigDocument> parse_json(std::string_view text, std::string name);
/// Reads and parses a file; JSON when its name ends in `.json`, TOML otherwise.
Result<ConfigDocument> read_config(const std::filesystem::path& path);

/// Bounds of a number, both inclusive.
template <class T>
struct Bounds {
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();
};

/// Checked access to one table of a document. Whatever is wrong (a missing key, a wrong type, a number out of bounds)
/// is added to `problems` with its place and the accessor returns the default, so that one pass over a file finds
/// every problem in it. NaN and infinities are never accepted.
class ConfigReader {
 public:
  ConfigReader(const ConfigDocument& document, std::vector<Problem>& problems);

  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;

  std::string text(std::string_view key);
  std::int64_t integer(std::string_view key, Bounds<std::int64_t> bounds = {});
  double number(std::string_view key, Bounds<double> bounds = {});
  bool boolean(std::string_view key);

  std::string text_or(std::string_view key, std::string_view otherwise);
  std::int64_t integer_or(std::string_view key, std::int64_t otherwise, Bounds<std::int64_t> bounds = {});
  double number_or(std::string_view key, double otherwise, Bounds<double> bounds = {});
  bool boolean_or(std::string_view key, bool otherwise);

  /// Arrays of one type; an absent key is a problem, use has() first when it is optional.
  std::vector<std::int64_t> integers(std::string_view key, Bounds<std::int64_t> bounds = {});
  std::vector<double> numbers(std::string_view key, Bounds<double> bounds = {});
  std::vector<std::string> texts(std::string_view key);
  /// An array of tables.
  std::vector<ConfigReader> tables(std::string_view key);
  /// A nested table; nothing (and a problem, when required) if it is absent.
  std::optional<ConfigReader> table(std::string_view key);
  std::optional<ConfigReader> table_if(std::string_view key);

  /// Adds a problem at the given key of this table, or at the table itself when the key is empty.
  void report(std::string_view key, std::string what, std::string hint = {});
  /// The place of a key, as problems show it.
  std::string where(std::string_view key) const;
  /// Reports every key that no accessor asked for, with the nearest one that was. Call it last.
  void reject_unknown_keys();

 private:
  ConfigReader(const ConfigDocument& document, const ConfigValue& value, std::string path,
               std::vector<Problem>& problems);
  const ConfigValue* find(std::string_view key, bool required);
  template <class T, class Convert>
  std::vector<T> array(std::string_view key, Convert convert);
  std::string place(const ConfigValue& value, const std::string& path) const;
  std::optional<std::int64_t> checked_integer(const ConfigValue& value, const std::string& path,
                                              Bounds<std::int64_t> bounds);
  std::optional<double> checked_number(const ConfigValue& value, const std::string& path, Bounds<double> bounds);
  void wrong_type(const ConfigValue& value, const std::string& path, std::string_view expected);

  const ConfigDocument* document_;
  const ConfigValue* value_;
  std::string path_;
  std::vector<Problem>* problems_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace kareus
