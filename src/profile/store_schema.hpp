#pragma once

#include "kareus/result.hpp"
#include "profile/sqlite.hpp"

namespace kareus::profile {

/// Takes the file for this connection alone, until it is closed, creates the tables in an empty file and checks those
/// of another. Errors: those of Store::open().
Result<void> prepare_store(Database& database, const std::string& identity);

}  // namespace kareus::profile
