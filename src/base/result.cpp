#include "kareus/result.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace kareus {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return 2;
    case ErrorCode::bad_input:
      return 3;
    case ErrorCode::infeasible:
      return 4;
    case ErrorCode::device:
      return 5;
    case ErrorCode::interrupted:
      return 6;
    case ErrorCode::internal:
      return 70;
  }
  return 70;
}

std::string Error::to_string() const {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    if (!problem.where.empty()) text += problem.where + ": ";
    text += problem.what;
    if (!problem.hint.empty()) text += " (" + problem.hint + ")";
  }
  return text;
}

tl::unexpected<Error> fail(ErrorCode code, std::string what, std::string where, std::string hint) {
  return tl::unexpected(Error{code, {Problem{std::move(where), std::move(what), std::move(hint)}}});
}

void throw_logic_error(std::string_view condition, std::string_view file, int line) {
  throw std::logic_error(fmt::format("{}:{}: broken invariant: {}", file, line, condition));
}

}  // namespace kareus
