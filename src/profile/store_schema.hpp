#pragma once

#include <optional>
#include <string>

#include "kareus/result.hpp"
#include "profile/sqlite.hpp"

namespace kareus::profile {

/// Takes the file for this connection alone, until it is closed, creates the tables in an empty file and checks those
/// of another. Without an identity an existing store of any is taken, and an empty file is refused. Errors: those of
/// Store::open().
Result<void> prepare_store(Database& database, const std::optional<std::string>& identity);

}  // namespace kareus::profile
