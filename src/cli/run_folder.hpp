#pragma once

#include <filesystem>
#include <string>

#include "kareus/planner.hpp"
#include "kareus/result.hpp"

namespace kareus::cli {

/// The files of a run. Deleting the folder loses nothing but measurements.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path workload() const { return folder_ / "workload.toml"; }
  std::filesystem::path measurements() const { return folder_ / "measurements.db"; }
  std::filesystem::path frontier() const { return folder_ / "frontier.json"; }
  std::filesystem::path megatron() const { return folder_ / "megatron.json"; }
  std::filesystem::path megatron_perseus() const { return folder_ / "megatron-perseus.json"; }
  std::filesystem::path report() const { return folder_ / "report.html"; }
  const std::filesystem::path& path() const { return folder_; }

  /// Creates the folder with copies of the workload as read and of the model config that it names.
  Result<void> create(const std::filesystem::path& workload_toml, const workload::Workload& workload) const;
  /// Writes the frontier, the baselines and the report, each by rename.
  Result<void> write(const planner::PlanResult& result) const;

  /// Where the frontier file of `argument` is: itself, or `frontier.json` in it when it is a run folder.
  static std::filesystem::path frontier_of(const std::filesystem::path& argument);

 private:
  std::filesystem::path folder_;
};

}  // namespace kareus::cli
