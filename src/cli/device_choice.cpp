#include "cli/device_choice.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/files.hpp"
#include "base/text.hpp"
#include "device/replay/replay_device.hpp"
#include "device/sim/sim_device.hpp"
#include "kareus/device_description.hpp"

namespace kareus::cli {
namespace {

/// Where descriptions are looked for: the folders given, beside the workload, and beside the program as built or
/// installed.
std::vector<std::filesystem::path> search_folders(const std::filesystem::path& workload_toml,
                                                  const DeviceArguments& arguments) {
  std::vector<std::filesystem::path> folders = arguments.folders;
  const std::filesystem::path beside = workload_toml.parent_path();
  folders.push_back(beside / "devices");
  folders.push_back(beside / ".." / "devices");
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (!error) {
    folders.push_back(program / "../../../devices");
    folders.push_back(program / "../share/kareus/devices");
  }
  return folders;
}

std::string identity_of(const device::DeviceDescription& description) {
  std::string text;
  for (const device::Constant& constant : description.constants) {
    text += fmt::format("{}={};", constant.name, constant.value);
  }
  return fmt::format("sim/{}/{}", description.name, hex(stable_hash(text)));
}

}  // namespace

Result<DeviceChoice> choose_device(const std::string& name, const std::filesystem::path& workload_toml,
                                   const DeviceArguments& arguments) {
  const std::vector<std::filesystem::path> folders = search_folders(workload_toml, arguments);
  auto description = device::find_description(name, folders);
  if (!description) return tl::unexpected(std::move(description).error());
  const device::DeviceInfo info = description->info();
  if (arguments.replay.empty()) {
    return DeviceChoice{
        .open = [description = *description](std::uint64_t seed) -> Result<std::unique_ptr<device::Device>> {
          return device::make_sim_device(description, seed);
        },
        .info = info,
        .identity = identity_of(*description)};
  }
  if (arguments.static_power_w <= 0) {
    return fail(ErrorCode::usage, "a replayed table needs the static power of its device", "--static-power");
  }
  auto table = device::read_replay_table(arguments.replay);
  if (!table) return tl::unexpected(std::move(table).error());
  auto text = read_file(arguments.replay);
  if (!text) return tl::unexpected(std::move(text).error());
  const Watts static_power(arguments.static_power_w);
  return DeviceChoice{
      .open = [table = *table, info, static_power](std::uint64_t) -> Result<std::unique_ptr<device::Device>> {
        return device::make_replay_device(table, info, static_power);
      },
      .info = info,
      .identity = fmt::format("replay/{}/{}/{}", info.name, hex(stable_hash(*text)), arguments.static_power_w)};
}

Result<device::DeviceDescription> choose_description(const std::string& device,
                                                     const std::vector<std::filesystem::path>& folders) {
  if (device.ends_with(".toml")) return device::read_description(device);
  const std::vector<std::filesystem::path> searched = search_folders({}, {.folders = folders, .replay = {}});
  return device::find_description(device, searched);
}

}  // namespace kareus::cli
