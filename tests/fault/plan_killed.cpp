// `plan_killed WORKLOAD RUN N`: what `kareus plan` does, on a device that ends the process with SIGKILL at its N-th
// run.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "cli/device_choice.hpp"
#include "cli/run_folder.hpp"
#include "kareus/planner.hpp"

namespace {

using namespace kareus;

class KilledDevice final : public device::Device {
 public:
  KilledDevice(std::unique_ptr<device::Device> inner, long& runs_left)
      : inner_(std::move(inner)), runs_left_(runs_left) {}

  const device::DeviceInfo& info() const override { return inner_->info(); }
  Result<void> lock_clock(Clock clock) override { return inner_->lock_clock(clock); }
  Result<void> unlock_clock() override { return inner_->unlock_clock(); }
  Result<Joules> energy_counter() override { return inner_->energy_counter(); }
  Result<Celsius> temperature() override { return inner_->temperature(); }
  Result<Seconds> now() override { return inner_->now(); }
  Result<void> idle(Seconds duration) override { return inner_->idle(duration); }
  Result<void> block(Seconds duration) override { return inner_->block(duration); }
  Result<device::RunResult> run(const device::Work& work, const device::Execution& execution,
                                long repetitions) override {
    if (--runs_left_ < 0) std::raise(SIGKILL);
    return inner_->run(work, execution, repetitions);
  }
  std::string checkpoint() const override { return inner_->checkpoint(); }
  Result<void> restore(const std::string& checkpoint) override { return inner_->restore(checkpoint); }

 private:
  std::unique_ptr<device::Device> inner_;
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
