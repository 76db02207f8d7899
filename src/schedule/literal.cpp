#include "schedule/literal.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace kareus::schedule {
namespace {

constexpr int kMaximumDepth = 16;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t start = text.find_first_not_of(kSpaces);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kSpaces) - start + 1);
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<LiteralFile> parse() {
    skip();
    auto root = value(0);
    if (!root) return tl::unexpected(std::move(root).error());
    skip();
    if (!at_end()) return failure(fmt::format("{} follows the literal", seen()));
    return LiteralFile{std::move(*root), std::move(comments_)};
  }

 private:
  bool at_end() const { return position_ >= text_.size(); }
  /// The character here; a NUL, which no literal has, at the end.
  char peek() const { return at_end() ? '\0' : text_[position_]; }

  void advance() {
    if (text_[position_] == '\n') {
      ++line_;
      line_start_ = position_ + 1;
    }
    ++position_;
  }

  int column() const { return static_cast<int>(position_ - line_start_) + 1; }

  tl::unexpected<Error> failure(std::string what, std::string hint = {}) const {
    return fail(ErrorCode::bad_input, std::move(what), fmt::format("{}:{}:{}", name_, line_, column()),
                std::move(hint));
  }

  /// What stands here, for messages.
  std::string seen() const {
    if (at_end()) return "the end of the file";
    if (!is_name(peek())) {
      const auto c = static_cast<unsigned char>(peek());
      return std::isprint(c) != 0 ? fmt::format("'{}'", peek()) : fmt::format("byte {:#04x}", c);
    }
    std::size_t end = position_;
    while (end < text_.size() && end - position_ < 40 && is_name(text_[end])) ++end;
    return fmt::format("'{}'", text_.substr(position_, end - position_));
  }

  /// Skips white space, and keeps the comments.
  void skip() {
    while (!at_end()) {
      const char c = peek();
      if (c == '#') {
        const std::size_t end = std::min(text_.find('\n', position_), text_.size());
        const std::string_view comment = text_.substr(position_ + 1, end - position_ - 1);
        comments_.push_back({std::string(trimmed(comment)), line_});
        position_ = end;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        advance();
      } else {
        return;
      }
    }
  }

  Result<Literal> value(int depth) {
    Literal literal;
    literal.line = line_;
    literal.column = column();
    const char c = peek();
    if (c == '[' || c == '(') return sequence(std::move(literal), depth);
    if (c == '\'' || c == '"') return quoted(std::move(literal));
    if (c == '-' || is_digit(c)) return number(std::move(literal));
    return failure(fmt::format("{} is no literal", seen()), "only lists, tuples, texts and integers are read");
  }

  Result<Literal> sequence(Literal literal, int depth) {
    if (depth >= kMaximumDepth) return failure(fmt::format("is nested deeper than {} levels", kMaximumDepth));
    const bool is_list = peek() == '[';
    const char close = is_list ? ']' : ')';
    literal.kind = is_list ? Literal::Kind::list : Literal::Kind::tuple;
    advance();
    skip();
    bool comma = false;
    while (peek() != close) {
      auto item = value(depth + 1);
      if (!item) return item;
      literal.items.push_back(std::move(*item));
      skip();
      comma = peek() == ',';
      if (comma) {
        advance();
        skip();
      } else if (peek() != close) {
        return failure(fmt::format("',' or '{}' is missing before {}", close, seen()),
                       at_end() ? "the file is truncated; fetch it again" : "");
      }
    }
    advance();
    // Parentheses around one value without a comma are no tuple.
    if (!is_list && literal.items.size() == 1 && !comma) {
      Literal inner = std::move(literal.items.front());
      return inner;
    }
    return literal;
  }

  Result<Literal> quoted(Literal literal) {
    literal.kind = Literal::Kind::text;
    const char quote = peek();
    advance();
    while (!at_end() && peek() != quote) {
      if (peek() == '\n') return failure("the text is not closed on its line");
      if (peek() == '\\') return failure("escapes are not read here");
      literal.text += peek();
      advance();
    }
    if (at_end()) return failure("the text is not closed", "the file is truncated; fetch it again");
    advance();
    return literal;
  }

  Result<Literal> number(Literal literal) {
    const std::size_t start = position_;
    if (peek() == '-') advance();
    if (!is_digit(peek())) return failure(fmt::format("{} is no number", seen()));
    while (is_digit(peek())) advance();
    const char* end = text_.data() + position_;
    if (const auto parsed = std::from_chars(text_.data() + start, end, literal.integer);
        parsed.ec != std::errc{} || parsed.ptr != end) {
      position_ = start;
      return failure("the integer is too large");
    }
    if (is_name(peek()) || peek() == '.') return failure("only integers are read");
    return literal;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t position_ = 0;
  int line_ = 1;
  std::size_t line_start_ = 0;
  std::vector<LiteralFile::Comment> comments_;
};

}  // namespace

std::string describe(Literal::Kind kind) {
  switch (kind) {
    case Literal::Kind::integer:
      return "an integer";
    case Literal::Kind::text:
      return "a text";
    case Literal::Kind::list:
      return "a list";
    case Literal::Kind::tuple:
      return "a tuple";
  }
  KAREUS_CHECK(false);
}

Result<LiteralFile> parse_literal(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

}  // namespace kareus::schedule
