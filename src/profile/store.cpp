#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <utility>

#include "kareus/profile.hpp"
#include "profile/sqlite.hpp"
#include "profile/store_schema.hpp"

namespace kareus::profile {
namespace {

constexpr const char* kColumns =
    "work, clock_mhz, sm_count, launch_slot, status, message, time_s, energy_j, temperature_c, window_s, repetitions, "
    "spent_s, found_by, energy_interval";

constexpr const char* kInsert =
    "INSERT INTO measurements (work, clock_mhz, sm_count, launch_slot, status, message, time_s, energy_j, "
    "temperature_c, window_s, repetitions, spent_s, found_by, family, energy_interval) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
    "?, "
    "?, ?, ?, ?, ?, ?)";

constexpr const char* kSetState =
    "INSERT INTO device_states (family, checkpoint) VALUES (?, ?) "
    "ON CONFLICT (family) DO UPDATE SET checkpoint = excluded.checkpoint";

/// Binds SM count and launch slot at `index` and the next.
void bind_config(Statement& statement, int index, const device::Execution& execution) {
  if (execution.config) {
    statement.bind(index, static_cast<std::int64_t>(execution.config->sm_count.value));
    statement.bind(index + 1, execution.config->launch_slot);
  } else {
    statement.bind_null(index);
    statement.bind_null(index + 1);
  }
}

void bind(Statement& statement, const Measurement& measurement, const std::string& family) {
  statement.bind(0, measurement.work);
  statement.bind(1, static_cast<std::int64_t>(measurement.execution.clock.mhz));
  bind_config(statement, 2, measurement.execution);
  statement.bind(4, to_string(measurement.status));
  statement.bind(5, measurement.message);
  statement.bind(6, measurement.time.si());
  statement.bind(7, measurement.energy.si());
  statement.bind(8, measurement.temperature.degrees);
  statement.bind(9, measurement.window.si());
  statement.bind(10, static_cast<std::int64_t>(measurement.repetitions));
  statement.bind(11, measurement.spent.si());
  statement.bind(12, measurement.found_by);
  statement.bind(13, family);
  statement.bind(14, measurement.energy_interval);
}

Status parse_status(const std::string& text) {
  for (const Status status : {Status::ok, Status::throttled, Status::censored}) {
    if (text == to_string(status)) return status;
  }
  return Status::failed;  // the schema allows no fifth
}

Measurement read_row(const Statement& row) {
  Measurement measurement;
  measurement.work = row.text(0);
  measurement.execution.clock = Clock{static_cast<int>(row.integer(1))};
  if (!row.is_null(2)) {
    measurement.execution.config =
        schedule::PartitionConfig{.sm_count = SmCount{static_cast<int>(row.integer(2))}, .launch_slot = row.text(3)};
  }
  measurement.status = parse_status(row.text(4));
  measurement.message = row.text(5);
  measurement.time = Seconds(row.real(6));
  measurement.energy = Joules(row.real(7));
  measurement.temperature = Celsius{row.real(8)};
  measurement.window = Seconds(row.real(9));
  measurement.repetitions = static_cast<long>(row.integer(10));
  measurement.spent = Seconds(row.real(11));
  measurement.found_by = row.text(12);
  measurement.energy_interval = row.real(13);
  return measurement;
}

Result<void> check_values(const Measurement& measurement) {
  const std::pair<const char*, double> values[] = {{"time", measurement.time.si()},
                                                   {"energy", measurement.energy.si()},
                                                   {"temperature", measurement.temperature.degrees},
                                                   {"window", measurement.window.si()},
                                                   {"energy interval", measurement.energy_interval},
                                                   {"spent time", measurement.spent.si()}};
  for (const auto& [name, value] : values) {
    if (!std::isfinite(value)) {
      return fail(ErrorCode::bad_input, fmt::format("the {} of '{}' is not a finite number", name, measurement.work));
    }
  }
  const bool positive = measurement.time > Seconds(0.0) && measurement.energy > Joules(0.0);
  const bool unset = measurement.time == Seconds(0.0) && measurement.energy == Joules(0.0);
  if (measurement.status == Status::failed ? !unset : !positive) {
    return fail(ErrorCode::bad_input,
                fmt::format("'{}' is {}, but has the time {} s and the energy {} J", measurement.work,
                            to_string(measurement.status), measurement.time.si(), measurement.energy.si()));
  }
  if (measurement.window < Seconds(0.0) || measurement.spent < Seconds(0.0) || measurement.repetitions < 0 ||
      measurement.energy_interval < 0.0 || measurement.execution.clock.mhz <= 0) {
    return fail(ErrorCode::bad_input, fmt::format("a number of '{}' is negative", measurement.work));
  }
  return {};
}

}  // namespace

struct Store::State {
  explicit State(Database opened) : database(std::move(opened)) {}

  Result<std::vector<Measurement>> select(const char* where, const std::string& value);

  std::mutex mutex;
  Database database;
};

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

namespace {

Result<Database> open_database(const std::filesystem::path& path, const std::optional<std::string>& identity) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(ErrorCode::bad_input, "is a folder, not a file", path.string());
  }
  auto database = Database::open(path);
  if (!database) return database;
  KAREUS_RETURN_IF_ERROR(prepare_store(*database, identity));
  return database;
}

}  // namespace

Result<Store> Store::open(const std::filesystem::path& path, const std::string& identity) {
  auto database = open_database(path, identity);
  if (!database) return tl::unexpected(std::move(database).error());
  return Store(std::make_unique<State>(std::move(*database)));
}

Result<Store> Store::open_existing(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return fail(ErrorCode::bad_input, "no such file", path.string());
  auto database = open_database(path, std::nullopt);
  if (!database) return tl::unexpected(std::move(database).error());
  return Store(std::make_unique<State>(std::move(*database)));
}

Result<void> Store::insert(const Measurement& measurement, const std::string& family,
                           const std::string& device_checkpoint) {
  KAREUS_RETURN_IF_ERROR(check_values(measurement));
  const std::lock_guard lock(state_->mutex);
  Database& database = state_->database;
  auto transaction = Transaction::begin(database, "BEGIN IMMEDIATE");
  if (!transaction) return tl::unexpected(std::move(transaction).error());
  {
    auto row = database.prepare(kInsert);
    if (!row) return tl::unexpected(std::move(row).error());
    bind(*row, measurement, family);
    KAREUS_RETURN_IF_ERROR(row->step());
    auto device_state = database.prepare(kSetState);
    if (!device_state) return tl::unexpected(std::move(device_state).error());
    device_state->bind(0, family);
    device_state->bind(1, device_checkpoint);
    KAREUS_RETURN_IF_ERROR(device_state->step());
  }
  return transaction->commit();
}

Result<std::vector<Measurement>> Store::State::select(const char* where, const std::string& value) {
  const std::lock_guard lock(mutex);
  auto rows = database.prepare(fmt::format("SELECT {} FROM measurements WHERE {} ORDER BY id", kColumns, where));
  if (!rows) return tl::unexpected(std::move(rows).error());
  rows->bind(0, value);
  std::vector<Measurement> measurements;
  for (auto row = rows->step();; row = rows->step()) {
    if (!row) return tl::unexpected(std::move(row).error());
    if (!*row) return measurements;
    measurements.push_back(read_row(*rows));
  }
}

Result<std::vector<Measurement>> Store::measurements(const std::string& work) const {
  return state_->select("?1 = '' OR work = ?1", work);
}

Result<std::vector<Measurement>> Store::family(const std::string& family) const {
  return state_->select("family = ?1", family);
}

Result<std::optional<Measurement>> Store::find(const std::string& work, const device::Execution& execution) const {
  const std::lock_guard lock(state_->mutex);
  auto rows = state_->database.prepare(
      fmt::format("SELECT {} FROM measurements WHERE work = ? AND clock_mhz = ? AND sm_count IS ? AND launch_slot IS ? "
                  "ORDER BY status = 'failed', id DESC LIMIT 1",
                  kColumns));
  if (!rows) return tl::unexpected(std::move(rows).error());
  rows->bind(0, work);
  rows->bind(1, static_cast<std::int64_t>(execution.clock.mhz));
  bind_config(*rows, 2, execution);
  const auto row = rows->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  return read_row(*rows);
}

Result<std::optional<std::string>> Store::device_checkpoint(const std::string& family) const {
  const std::lock_guard lock(state_->mutex);
  auto rows = state_->database.prepare("SELECT checkpoint FROM device_states WHERE family = ?");
  if (!rows) return tl::unexpected(std::move(rows).error());
  rows->bind(0, family);
  const auto row = rows->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  return rows->text(0);
}

}  // namespace kareus::profile
