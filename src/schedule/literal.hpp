#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/result.hpp"

namespace kareus::schedule {

/// A Python literal made of lists, tuples, texts and integers, with the place where it starts.
struct Literal {
  enum class Kind { integer, text, list, tuple };

  Kind kind = Kind::integer;
  std::int64_t integer = 0;
  std::string text;
  std::vector<Literal> items;
  int line = 0;
  int column = 0;
};

/// `an integer`, `a text`, `a list` or `a tuple`.
std::string describe(Literal::Kind kind);

struct LiteralFile {
  struct Comment {
    std::string text;  ///< without the `#` and the spaces around
    int line = 0;
  };

  Literal root;
  std::vector<Comment> comments;
};

/// Reads a file that holds one literal and comments. It is a reader of data: names, calls and operators are errors, and
/// nothing is ever evaluated. Errors: bad_input with `name:line:column` of the first thing that is no such literal,
/// that is nested deeper than 16 levels, or that follows the literal.
Result<LiteralFile> parse_literal(std::string_view text, const std::string& name);

}  // namespace kareus::schedule
