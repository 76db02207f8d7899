#include "calibrate/residuals.hpp"

#include "calibrate/errors.hpp"

namespace kareus::calibrate {
namespace {

/// A collective is a handful of rows beside hundreds of a sweep that know little of the full bus.
constexpr double kCollectiveWeight = 4.0;

/// Amounts of all sweeps, cut up again by sweep.
std::vector<std::vector<double>> by_sweep(const Data& data, const std::vector<double>& amounts) {
  std::vector<std::vector<double>> result;
  auto next = amounts.begin();
  for (const PartitionSweep& sweep : data.partitions) {
    const auto end = next + static_cast<std::ptrdiff_t>(sweep.unknown.size());
    result.emplace_back(next, end);
    next = end;
  }
  return result;
}

}  // namespace

void add_partition_residuals(const device::DeviceDescription& device, const Data& data,
                             const std::vector<double>& amounts, bool energy, std::vector<double>& residuals) {
  const auto split = by_sweep(data, amounts);
  for (std::size_t i = 0; i < data.partitions.size(); ++i) {
    const auto predictions = predict(device, data.partitions[i], split[i]);
    if (!predictions) return;
    for (const Prediction& prediction : *predictions) {
      if (prediction.row->held_out) continue;
      residuals.push_back(energy ? prediction.energy / prediction.row->energy - 1.0
                                 : prediction.time / prediction.row->time - 1.0);
    }
  }
}

void add_collective_residuals(const device::DeviceDescription& device, const Data& data,
                              std::vector<double>& residuals) {
  for (const CollectiveTable& table : data.collectives) {
    for (const CollectiveRow& row : table.rows) {
      if (row.held_out) continue;
      residuals.push_back(kCollectiveWeight * (collective_time(device, row) / row.time.si() - 1.0));
    }
  }
}

void add_instruction_residuals(const device::DeviceDescription& device, const Data& data, bool energy,
                               std::vector<double>& residuals) {
  for (const InstructionProfile& profile : data.instructions) {
    const auto predictions = predict(device, profile);
    if (!predictions) return;
    for (std::size_t i = 0; i < profile.rows.size(); ++i) {
      const InstructionRow& row = profile.rows[i];
      if (row.held_out) continue;
      residuals.push_back(energy ? (*predictions)[i].energy / row.energy - 1.0
                                 : (*predictions)[i].time / row.time - 1.0);
    }
  }
}

}  // namespace kareus::calibrate
