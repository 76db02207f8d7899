#include "kareus/validate.hpp"

#include <algorithm>

#include "validate/checks.hpp"

namespace kareus::validate {
namespace {

constexpr std::size_t kPoints = 30;

Result<std::vector<schedule::FrontierFile>> frontiers(const Planned& one, const device::InSitu& in_situ) {
  evaluate::Exhaustive simulated = one.simulated;
  simulated.info.in_situ = in_situ;
  std::vector<schedule::FrontierFile> all;
  for (const evaluate::Method method : evaluate::kMethods) {
    auto frontier = evaluate::frontier_of(method, one.workload, simulated, kPoints);
    if (!frontier) return tl::unexpected(std::move(frontier).error());
    all.push_back(std::move(*frontier));
  }
  return all;
}

bool has_in_situ(const device::DeviceDescription& device) {
  return device.in_situ.sequential_factor > 1.0 || device.in_situ.partition_cost > Seconds(0.0);
}

/// The published testbed workloads of the device, two stages of one node each.
Result<std::vector<workload::Workload>> testbed(const device::DeviceDescription& device,
                                                const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<workload::Workload> workloads;
  for (const auto& file : files) {
    auto workload = workload::read_workload(file);
    if (!workload) return tl::unexpected(std::move(workload).error());
    if (workload->device == device.name && workload->parallelism.pipeline == 2)
      workloads.push_back(std::move(*workload));
  }
  return workloads;
}

}  // namespace

Result<std::vector<Check>> validate(const device::DeviceDescription& device, const Sources& sources) {
  std::error_code error;
  if (!std::filesystem::exists(sources.data / "calibration" / device.name, error)) {
    return fail(ErrorCode::bad_input, "nothing was measured or published of " + device.name,
                (sources.data / "calibration").string(),
                "calibrate it to measurements of yours and look at their errors");
  }
  std::vector<Check> checks;
  KAREUS_RETURN_IF_ERROR(check_kernels(device, sources, checks));
  auto workloads = testbed(device, sources.workloads);
  if (!workloads) return tl::unexpected(std::move(workloads).error());
  std::vector<Planned> planned;
  for (workload::Workload& workload : *workloads) {
    auto simulated = evaluate::simulate_all(workload, device);
    if (!simulated) return tl::unexpected(std::move(simulated).error());
    Planned one{.workload = std::move(workload), .simulated = std::move(*simulated), .blind = {}, .calibrated = {}};
    auto blind = frontiers(one, {});
    if (!blind) return tl::unexpected(std::move(blind).error());
    one.blind = std::move(*blind);
    if (has_in_situ(device)) {
      auto calibrated = frontiers(one, device.in_situ);
      if (!calibrated) return tl::unexpected(std::move(calibrated).error());
      one.calibrated = std::move(*calibrated);
    }
    planned.push_back(std::move(one));
  }
  KAREUS_RETURN_IF_ERROR(check_plans(planned, sources, checks));
  check_measured_run(planned, checks);
  check_orderings(planned, checks);
  KAREUS_RETURN_IF_ERROR(check_protocol(device, checks));
  KAREUS_RETURN_IF_ERROR(check_vtrain(device, sources, checks));
  return checks;
}

}  // namespace kareus::validate
