#include "profile/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace kareus::profile {
namespace {

constexpr int kBusyTimeoutMs = 1000;

constexpr const char* kDamagedHint = "restore it from a copy, or move it away to measure again";

tl::unexpected<Error> failure(sqlite3* connection, int code, const std::filesystem::path& path) {
  const std::string message = connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
  const std::string where = path.string();
  switch (code & 0xff) {  // the primary code of an extended one
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(ErrorCode::device, "another process uses these measurements", where,
                  "wait until it has finished, or choose another run folder");
    case SQLITE_FULL:
      return fail(ErrorCode::device, "the disk is full", where, "free some disk space and run the same command again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return fail(ErrorCode::device, fmt::format("cannot be opened for writing: {}", message), where,
                  "choose a folder that exists and that you may write to");
    case SQLITE_IOERR:
      return fail(ErrorCode::device, fmt::format("cannot be read or written: {}", message), where,
                  "check the disk and its free space, and run the same command again");
    case SQLITE_NOTADB:
      return fail(ErrorCode::bad_input, "is no file of Kareus measurements", where,
                  "choose another run folder, or move the file away");
    case SQLITE_CORRUPT:
      return fail(ErrorCode::bad_input, fmt::format("is damaged: {}", message), where, kDamagedHint);
    default:
      return fail(ErrorCode::internal, fmt::format("the database refuses: {}", message), where);
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Database::Database(sqlite3* connection, std::filesystem::path path) : connection_(connection), path_(std::move(path)) {}

Result<Database> Database::open(const std::filesystem::path& path) {
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  Database database(connection, path);  // closes the connection also when opening failed
  if (code != SQLITE_OK) return failure(connection, code, path);
  // SQLite opens a file that may only be read without complaint, and then takes no lock on it.
  if (sqlite3_db_readonly(connection, "main") == 1) return failure(nullptr, SQLITE_READONLY, path);
  sqlite3_busy_timeout(connection, kBusyTimeoutMs);
  return database;
}

Result<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(connection_.get(), code, path_);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return failure(connection_.get(), code, path_);
  return Statement(connection_.get(), statement, path_);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(std::move(statement).error());
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  KAREUS_CHECK(*row);
  return statement->integer(0);
}

Result<std::string> Database::text(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(std::move(statement).error());
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::string{};
  return statement->text(0);
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(connection_.get()) == 0;
}

Statement::Statement(sqlite3* connection, sqlite3_stmt* statement, std::filesystem::path path)
    : connection_(connection), statement_(statement), path_(std::move(path)) {}

void Statement::check(int code) {
  if (failed_ == SQLITE_OK) failed_ = code;
}

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index + 1, value));
}

void Statement::bind(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index + 1, value));
}

void Statement::bind(int index, std::string_view value) {
  // An empty view may have no address, which SQLite would take for NULL.
  const char* data = value.empty() ? "" : value.data();
  check(sqlite3_bind_text64(statement_.get(), index + 1, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_null(int index) {
  check(sqlite3_bind_null(statement_.get(), index + 1));
}

Result<bool> Statement::step() {
  const int code = failed_ != SQLITE_OK ? failed_ : sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(connection_, code, path_);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* data = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data == nullptr ? std::string{} : std::string(reinterpret_cast<const char*>(data), size);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Transaction> Transaction::begin(Database& database, const char* begin) {
  KAREUS_RETURN_IF_ERROR(database.execute(begin));
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // Some errors have rolled it back already.
  if (database_ != nullptr && database_->in_transaction()) (void)database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  return database_->execute("COMMIT");
}

}  // namespace kareus::profile
