// `plan_killed WORKLOAD RUN N`: what `kareus plan` does, on a device that ends the process with SIGKILL at its N-th
// call, of any kind.
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
  KilledDevice(std::unique_ptr<device::Device> inner, long& calls_left)
      : WrappedDevice(std::move(inner)), calls_left_(calls_left) {}

  Result<void> lock_clock(Clock clock) override {
    count();
    return WrappedDevice::lock_clock(clock);
  }
  Result<Joules> energy_counter() override {
    count();
    return WrappedDevice::energy_counter();
  }
  Result<Celsius> temperature() override {
    count();
    return WrappedDevice::temperature();
  }
  Result<Seconds> now() override {
    count();
    return WrappedDevice::now();
  }
  Result<void> idle(Seconds duration) override {
    count();
    return WrappedDevice::idle(duration);
  }
  Result<device::RunResult> run(const device::Work& work, const device::Execution& execution,
                                long repetitions) override {
    count();
    return WrappedDevice::run(work, execution, repetitions);
  }
  /// Between the end of a measurement and its insertion.
  std::string checkpoint() const override {
    count();
    return WrappedDevice::checkpoint();
  }

 private:
  void count() const {
    if (--calls_left_ < 0) std::raise(SIGKILL);
  }

  long& calls_left_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path path = argv[1];
  long calls_left = std::atol(argv[3]);
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
      return std::make_unique<KilledDevice>(std::move(inner), calls_left);
    });
  };
  const auto result = planner::plan(*workload, open, *store, options);
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().to_string());
    return exit_code(result.error().code);
  }
  return folder.write(*result) ? 0 : 5;
}
