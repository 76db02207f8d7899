#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "kareus/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace kareus::profile {

class Statement;

/// A connection to an SQLite file. Not thread safe; the owner serialises calls. Errors of all members: device when the
/// file is in use, cannot be written or the disk is full; bad_input when it is damaged or no database.
class Database {
 public:
  /// Opens or creates the file. Another connection to it is waited for a second, then refused.
  static Result<Database> open(const std::filesystem::path& path);

  /// Executes statements without parameters and ignores their rows.
  Result<void> execute(const char* sql);
  Result<Statement> prepare(std::string_view sql);
  /// First column of the first row.
  Result<std::int64_t> integer(std::string_view sql);
  Result<std::string> text(std::string_view sql);
  bool in_transaction() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  Database(sqlite3* connection, std::filesystem::path path);
  std::unique_ptr<sqlite3, Close> connection_;
  std::filesystem::path path_;
};

/// A prepared statement; parameters and columns count from 0.
class Statement {
 public:
  void bind(int index, std::int64_t value);
  /// NaN becomes NULL in SQLite, which the schema refuses.
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind_null(int index);

  /// Goes to the next row; false after the last.
  Result<bool> step();
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3* connection, sqlite3_stmt* statement, std::filesystem::path path);
  void check(int code);

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::filesystem::path path_;
  int failed_ = 0;  ///< first error of a bind, reported by step()
};

/// A transaction that is rolled back unless it was committed.
class Transaction {
 public:
  /// `begin` is the statement that starts it, for example `BEGIN IMMEDIATE`.
  static Result<Transaction> begin(Database& database, const char* begin);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace kareus::profile
