#include "profile/store_schema.hpp"

#include <fmt/format.h>

namespace kareus::profile {
namespace {

constexpr std::int64_t kApplicationId = 0x4b617265;  ///< `Kare`
constexpr std::int64_t kVersion = 2;

/// The checks are a second fence: what the library refuses, another program cannot store either. An upper bound keeps
/// infinities out, NOT NULL keeps NaN out, which SQLite turns into NULL.
constexpr const char* kSchema = R"sql(
CREATE TABLE identity (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  identity TEXT NOT NULL
) STRICT;
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY,
  work TEXT NOT NULL,
  clock_mhz INTEGER NOT NULL CHECK (clock_mhz > 0),
  sm_count INTEGER,
  launch_slot TEXT,
  status TEXT NOT NULL CHECK (status IN ('ok', 'throttled', 'censored', 'failed')),
  message TEXT NOT NULL,
  time_s REAL NOT NULL CHECK (time_s BETWEEN 0 AND 1e300),
  energy_j REAL NOT NULL CHECK (energy_j BETWEEN 0 AND 1e300),
  temperature_c REAL NOT NULL CHECK (temperature_c BETWEEN -1e300 AND 1e300),
  window_s REAL NOT NULL CHECK (window_s BETWEEN 0 AND 1e300),
  repetitions INTEGER NOT NULL CHECK (repetitions >= 0),
  energy_interval REAL NOT NULL CHECK (energy_interval BETWEEN 0 AND 1e300),
  spent_s REAL NOT NULL CHECK (spent_s BETWEEN 0 AND 1e300),
  found_by TEXT NOT NULL,
  family TEXT NOT NULL,
  CHECK ((sm_count IS NULL) = (launch_slot IS NULL)),
  CHECK ((status = 'failed') = (time_s = 0) AND (status = 'failed') = (energy_j = 0))
) STRICT;
CREATE INDEX measurements_by_execution ON measurements (work, clock_mhz, sm_count, launch_slot);
CREATE TABLE device_states (
  family TEXT PRIMARY KEY,
  checkpoint TEXT NOT NULL
) STRICT;
)sql";

tl::unexpected<Error> foreign(const Database& database) {
  return fail(ErrorCode::bad_input, "is a database of another program", database.path().string(),
              "choose another run folder, or move the file away");
}

Result<void> create(Database& database, const std::string& identity) {
  KAREUS_RETURN_IF_ERROR(database.execute(kSchema));
  KAREUS_RETURN_IF_ERROR(database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId, kVersion).c_str()));
  auto statement = database.prepare("INSERT INTO identity (id, identity) VALUES (1, ?)");
  if (!statement) return tl::unexpected(std::move(statement).error());
  statement->bind(0, identity);
  KAREUS_RETURN_IF_ERROR(statement->step());
  return {};
}

tl::unexpected<Error> damaged(const Database& database, const std::string& how) {
  return fail(ErrorCode::bad_input, fmt::format("is damaged: {}", how), database.path().string(),
              "restore it from a copy, or move it away to measure again");
}

/// SQLite reads what is missing from the last page as zeros, so a file cut short there is told by its size.
Result<void> check_size(Database& database) {
  const auto pages = database.integer("PRAGMA page_count");
  if (!pages) return tl::unexpected(pages.error());
  const auto page = database.integer("PRAGMA page_size");
  if (!page) return tl::unexpected(page.error());
  std::error_code error;
  const auto size = std::filesystem::file_size(database.path(), error);
  const auto expected = static_cast<std::uintmax_t>(*pages * *page);
  if (!error && size != expected) return damaged(database, fmt::format("has {} bytes instead of {}", size, expected));
  return {};
}

Result<void> check(Database& database, std::int64_t version, const std::optional<std::string>& identity) {
  const std::string where = database.path().string();
  if (version != kVersion) {
    return fail(ErrorCode::bad_input,
                fmt::format("has version {}, but this program reads version {}", version, kVersion), where,
                "use the Kareus that wrote it, or choose another run folder");
  }
  KAREUS_RETURN_IF_ERROR(check_size(database));
  const auto state = database.text("PRAGMA integrity_check(1)");
  if (!state) return tl::unexpected(state.error());
  if (*state != "ok") return damaged(database, *state);
  const auto found = database.text("SELECT identity FROM identity");
  if (!found) return tl::unexpected(found.error());
  if (identity && *found != *identity) {
    return fail(ErrorCode::bad_input,
                fmt::format("holds the measurements of '{}', but this run is '{}'", *found, *identity), where,
                "choose another run folder");
  }
  return {};
}

Result<void> create_or_check(Database& database, const std::optional<std::string>& identity) {
  const auto application = database.integer("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  const auto objects = database.integer("SELECT count(*) FROM sqlite_schema");
  if (!objects) return tl::unexpected(objects.error());
  const bool empty = *application == 0 && *version == 0 && *objects == 0;
  if (empty && identity) return create(database, *identity);
  if (*application != kApplicationId) return foreign(database);
  return check(database, *version, identity);
}

}  // namespace

Result<void> prepare_store(Database& database, const std::optional<std::string>& identity) {
  // With this mode a lock once taken is kept, so a second process cannot measure the same and mix up the device states.
  KAREUS_RETURN_IF_ERROR(database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL;"));
  auto transaction = Transaction::begin(database, "BEGIN EXCLUSIVE");
  if (!transaction) return tl::unexpected(std::move(transaction).error());
  KAREUS_RETURN_IF_ERROR(create_or_check(database, identity));
  KAREUS_RETURN_IF_ERROR(transaction->commit());
  // Only now: in a file of somebody else this would change the header.
  return database.execute("PRAGMA journal_mode = TRUNCATE");
}

}  // namespace kareus::profile
