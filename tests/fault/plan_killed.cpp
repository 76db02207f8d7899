// `plan_killed WORKLOAD RUN N`: what `kareus plan` does, on a device that ends the process with SIGKILL at its N-th
// run.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "cli/device_choice.hpp"
#include "cli/run_folder.hpp"
#include "kareus/planner.hpp"
#include "support/wrapped_device.hpp"

namespace {

using namespace kareus;

class KilledDevice final : public device::WrappedDevice {
 public:
  KilledDevice(std::unique_ptr<device::Device> inner, long& runs_left)
      : WrappedDevice(std::move(inner)), runs_left_(runs_left) {}

  Result<device::RunResult> run(const device::Work& work, const device::Execution& execution,
                                long repetitions) override {
    if (--runs_left_ < 0) std::raise(SIGKILL);
    return WrappedDevice::run(work, execution, repetitions);
  }

 private:
  long& runs_left_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path path = argv[1];
  long runs_left = std::atol(argv[3]);
  auto workload = workload::read_workload(path);
  auto device = cli::choose_device(workload->device, path, {});
  const cli::RunFolder folder(argv[2]);
  if (!folder.create(path, *workload)) return 5;
  const planner::Options options;
  auto store =
      profile::Store::open(folder.measurements(), planner::store_identity(*workload, device->identity, options));
  if (!store) {
    fmt::print(stderr, "{}\n", store.error().to_string());
    return 3;
  }
  const device::OpenDevice open = [&](std::uint64_t seed) {
    return device->open(seed).map([&](std::unique_ptr<device::Device> inner) -> std::unique_ptr<device::Device> {
      return std::make_unique<KilledDevice>(std::move(inner), runs_left);
    });
  };
  const auto result = planner::plan(*workload, open, *store, options);
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().to_string());
    return exit_code(result.error().code);
  }
  return folder.write(*result) ? 0 : 5;
}
