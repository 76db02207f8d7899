#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kareus/evaluation.hpp"

namespace kareus::evaluate {

/// A recipe's result on a workload as a file of its own, without the ends of its frontiers. `identity` names all that the result depends on.
std::string result_to_json(const RecipeResult& result, const std::string& identity);
/// Nothing when there is no such file, or when it is of another identity: the result is made again then. Errors:
/// bad_input for a file that is no result of the recipe, so that nothing else is overwritten.
Result<std::optional<RecipeResult>> read_result(const std::filesystem::path& path, const std::string& identity,
                                                const std::string& recipe);

}  // namespace kareus::evaluate
