#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace kareus {

/// What kind of failure it was. Each kind has one exit code (see exit_code()).
enum class ErrorCode {
  usage,        ///< the command line does not say what to do
  bad_input,    ///< a file or a value in it is wrong
  infeasible,   ///< a well-formed request that no plan satisfies
  device,       ///< the device, its permissions, the disk or another resource refused
  interrupted,  ///< stopped early; starting again goes on from there
  internal,     ///< a defect of Kareus
};

/// Process exit code of an error kind: 2, 3, 4, 5, 6, 70 in the order of ErrorCode.
int exit_code(ErrorCode code);

/// One thing that is wrong: where (`file:line:column`, or a file and a JSON path), what, and what to do.
struct Problem {
  std::string where;
  std::string what;
  std::string hint;  ///< empty when there is nothing useful to add
};

/// A failure with everything known to be wrong, never empty.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::vector<Problem> problems;

  /// One line per problem: `where: what (hint)`.
  std::string to_string() const;
};

template <class T>
using Result = tl::expected<T, Error>;

/// An error with a single problem, ready to be returned from a function that returns Result.
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, std::string what, std::string where = {},
                                         std::string hint = {});

/// Thrown only for a broken invariant, that is a defect of Kareus; caught at the edges of the program.
[[noreturn]] void throw_logic_error(std::string_view condition, std::string_view file, int line);

}  // namespace kareus

/// Aborts the operation with a logic error when an invariant of the program does not hold.
#define KAREUS_CHECK(condition)                                    \
  do {                                                             \
    if (!(condition)) {                                            \
      ::kareus::throw_logic_error(#condition, __FILE__, __LINE__); \
    }                                                              \
  } while (false)

/// Returns the error of `expression` (a Result) from the enclosing function, if it has one.
#define KAREUS_RETURN_IF_ERROR(expression)                     \
  do {                                                         \
    if (auto kareus_result = (expression); !kareus_result) {   \
      return tl::unexpected(std::move(kareus_result).error()); \
    }                                                          \
  } while (false)
