#include "cli/run_folder.hpp"

#include <algorithm>
#include <system_error>

#include "base/files.hpp"
#include "kareus/report.hpp"
#include "kareus/schedule.hpp"

namespace kareus::cli {
namespace {

/// A path that stays inside the folder it is relative to.
bool stays_inside(const std::filesystem::path& path) {
  return path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

Result<void> copy_file_text(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  if (std::filesystem::equivalent(from, to, error)) return {};
  auto text = read_file(from);
  if (!text) return tl::unexpected(std::move(text).error());
  return write_file_atomically(to, *text);
}

}  // namespace

Result<void> RunFolder::create(const std::filesystem::path& workload_toml, const workload::Workload& workload) const {
  KAREUS_RETURN_IF_ERROR(create_folder(folder_));
  if (stays_inside(workload.model_path)) {
    const auto target = folder_ / workload.model_path;
    KAREUS_RETURN_IF_ERROR(create_folder(target.parent_path()));
    KAREUS_RETURN_IF_ERROR(copy_file_text(workload_toml.parent_path() / workload.model_path, target));
  }
  return copy_file_text(workload_toml, this->workload());
}

Result<void> RunFolder::write(const planner::PlanResult& result) const {
  KAREUS_RETURN_IF_ERROR(write_file_atomically(megatron(), schedule::to_json(result.megatron)));
  KAREUS_RETURN_IF_ERROR(write_file_atomically(megatron_perseus(), schedule::to_json(result.megatron_perseus)));
  KAREUS_RETURN_IF_ERROR(write_file_atomically(report(), report::render_html(result.report)));
  return write_file_atomically(frontier(), schedule::to_json(result.kareus));
}

std::filesystem::path RunFolder::frontier_of(const std::filesystem::path& argument) {
  std::error_code error;
  return std::filesystem::is_directory(argument, error) ? RunFolder(argument).frontier() : argument;
}

}  // namespace kareus::cli
