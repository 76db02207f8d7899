// Writes every partition type of a workload as a table of its exhaustive truth: the simulated device without noise, at
// 40 degrees, one row per configuration, with the description that `kareus search` reads.
#include <fmt/format.h>
#include <fmt/os.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "device/sim/power.hpp"
#include "device/sim/simulation.hpp"
#include "kareus/device_description.hpp"
#include "kareus/planner.hpp"
#include "planner/works.hpp"

namespace {

using namespace kareus;

constexpr double kDegrees = 40.0;

constexpr const char* kDescription = R"(format = "kareus-table"
version = 1
static_power_w = {}

numeric = ["clock_mhz", "sm_count"]
clock = "clock_mhz"

[[categorical]]
name = "launch_slot"
columns = ["launch_slot"]

[time]
columns = ["time_s"]

[energy]
columns = ["energy_j"]
)";

Result<void> write_type(const device::DeviceDescription& device, const workload::PartitionType& type,
                        const std::filesystem::path& stem) {
  const device::Work work = planner::partition_work(type);
  const planner::PartitionSpace space = planner::partition_space(type, device.info());
  auto csv = fmt::output_file(stem.string() + ".csv");
  csv.print("clock_mhz,sm_count,launch_slot,time_s,energy_j\n");
  for (const device::Execution& execution : space.candidates) {
    const auto result = device::sim::simulate(device, work, execution, {.temperature = Celsius(kDegrees)});
    if (!result) return tl::unexpected(result.error());
    csv.print("{},{},{},{},{}\n", execution.clock.mhz, execution.config->sm_count.value, execution.config->launch_slot,
              result->time.si(), result->energy().si());
  }
  auto toml = fmt::output_file(stem.string() + ".toml");
  toml.print(kDescription, device::sim::static_power(device, device.info().clocks.front(), kDegrees));
  return {};
}

Result<void> run(const std::string& workload_file, const std::string& device_file,
                 const std::filesystem::path& folder) {
  const auto workload = workload::read_workload(workload_file);
  if (!workload) return tl::unexpected(workload.error());
  const auto device = device::read_description(device_file);
  if (!device) return tl::unexpected(device.error());
  const auto parts = workload::decompose(*workload, device->rates);
  std::filesystem::create_directories(folder);
  const std::string prefix = std::filesystem::path(workload_file).stem().string();
  for (const workload::PartitionType& type : parts.types) {
    KAREUS_RETURN_IF_ERROR(write_type(*device, type, folder / (prefix + "." + type.name)));
    fmt::print("{}.{} {} {}\n", prefix, type.name, planner::partition_space(type, device->info()).candidates.size(),
               type.slots.size());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Writes the partition types of a workload as tables");
  std::string workload;
  std::string device;
  std::string folder;
  program.add_option("workload", workload, "Workload (TOML)")->required();
  program.add_option("device", device, "Device description (TOML)")->required();
  program.add_option("folder", folder, "Where the tables go")->required();
  CLI11_PARSE(program, argc, argv);
  const auto done = run(workload, device, folder);
  if (done) return 0;
  std::cerr << done.error().to_string();
  return exit_code(done.error().code);
}
