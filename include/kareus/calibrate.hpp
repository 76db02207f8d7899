#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kareus/device_description.hpp"
#include "kareus/partition.hpp"
#include "kareus/result.hpp"
#include "kareus/workload.hpp"

namespace kareus::calibrate {

/// A measured execution of a partition whose host time was not hidden (each timed by itself).
struct PartitionRow {
  Clock clock;
  /// Operator that the communication is launched with; nothing: after all compute.
  std::optional<std::size_t> launched_with;
  std::optional<std::size_t> joined_before;  ///< operator that waits for the communication
  SmCount sm_count;
  Seconds time;
  Joules energy;  ///< of one GPU, static included
  bool held_out = false;
  int line = 0;
};

/// A partition measured over clocks, launch windows and SM counts.
struct PartitionSweep {
  std::string name;
  std::string source;
  std::vector<workload::Operator> compute;
  std::vector<std::size_t> unknown;  ///< operators whose amount of work is not on record and is fitted with the rest
  workload::Operator communication;
  std::vector<PartitionRow> rows;
};

struct CollectiveRow {
  workload::Operator operation;
  Seconds time;
  bool held_out = false;
  int line = 0;
};
struct CollectiveTable {
  std::string name;
  std::string source;
  std::vector<CollectiveRow> rows;
};

/// What limits the time of a kernel in a clock and power sweep.
enum class Bound { compute, memory };

struct PowerRow {
  Clock clock;
  Watts cap;
  Seconds time;
  Watts power;
  bool held_out = false;
  int line = 0;
};
/// One kernel over clocks and power caps.
struct PowerSweep {
  std::string name;
  std::string source;
  Bound bound = Bound::compute;
  std::vector<PowerRow> rows;
};

/// A measured forward or backward of one microbatch on one stage, executed sequentially inside training.
struct InstructionRow {
  int stage = 0;
  workload::Direction direction = workload::Direction::forward;
  Clock clock;
  Seconds time;
  Joules energy;  ///< of one GPU, static included
  bool held_out = false;
  int line = 0;
};
/// The instructions of a training job over clocks.
struct InstructionProfile {
  std::string name;
  std::string source;
  workload::Workload workload;
  std::vector<InstructionRow> rows;
};

/// Measurements of one device.
struct Data {
  std::string device;
  std::vector<InstructionProfile> instructions;
  std::vector<PartitionSweep> partitions;
  std::vector<CollectiveTable> collectives;
  std::vector<PowerSweep> powers;
};

/// Reads `calibration.toml` of a folder and the tables it names (docs/formats.md). A third of the rows of every table,
/// chosen by a hash of the row, is held out. Errors: bad_input with every problem of all files: unknown columns and
/// kinds, amounts in other units than the column says (a time of hours, a power of kilowatts), rows that contradict
/// each other, fewer rows than there are values to fit.
Result<Data> read_data(const std::filesystem::path& folder);

/// A value that was fitted.
struct FittedValue {
  std::string name;  ///< `section.key` of the description, or `table: operator` for an amount of work
  double before = 0.0;
  double value = 0.0;
  double low = 0.0;   ///< two standard deviations below
  double high = 0.0;  ///< and above
};

/// Relative errors of a description against one column of a table.
struct TableError {
  std::string table;
  std::string quantity;  ///< `time` or `energy` or `power`
  bool held_out = false;
  std::size_t rows = 0;
  double mean = 0.0;  ///< of the absolute relative errors
  double largest = 0.0;
};

struct Calibration {
  device::DeviceDescription device;
  std::vector<FittedValue> values;
  std::vector<TableError> errors;
};

/// Fits the description to the data by least squares on relative errors; constants that the data say little about stay
/// near where they started. Errors: bad_input when a table needs what the description does not have (a clock or an SM
/// count that the device does not support).
Result<Calibration> calibrate(const device::DeviceDescription& start, const Data& data);

/// A prediction beside its measurement.
struct Prediction {
  const PartitionRow* row = nullptr;
  Seconds time;
  Joules energy;
};
/// Predictions of all rows. `amounts` scales the unknown operators, in their order.
Result<std::vector<Prediction>> predict(const device::DeviceDescription& device, const PartitionSweep& sweep,
                                        const std::vector<double>& amounts);

/// What an instruction of a profile should take.
struct InstructionPrediction {
  Seconds time;
  Joules energy;
};
/// Of all rows, in their order: layers and what is outside of them, one kernel after another on a GPU as warm as the
/// instruction keeps it, with the description's in-situ costs of sequential execution. Errors: those of the simulator.
Result<std::vector<InstructionPrediction>> predict(const device::DeviceDescription& device,
                                                   const InstructionProfile& profile);

/// How much of the unknown operators' work a description explains the fitted rows best with.
std::vector<double> fit_amounts(const device::DeviceDescription& device, const PartitionSweep& sweep);

/// Errors of a description against every table, the rows of the fit and those held out apart.
Result<std::vector<TableError>> table_errors(const device::DeviceDescription& device, const Data& data);

/// The description with constants replaced or added, checked like a file. Errors: those of parse_description().
Result<device::DeviceDescription> with_constants(const device::DeviceDescription& device,
                                                 const std::vector<device::Constant>& constants);

/// The description as a file that parse_description() reads, sections and constants in file order.
std::string to_toml(const device::DeviceDescription& device, const std::string& comment);

}  // namespace kareus::calibrate
