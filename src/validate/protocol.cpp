#include <algorithm>
#include <cmath>

#include "device/sim/sim_device.hpp"
#include "kareus/partition.hpp"
#include "kareus/profile.hpp"
#include "planner/works.hpp"
#include "validate/checks.hpp"

namespace kareus::validate {
namespace {

constexpr const char* kLevel = "protocol";
constexpr std::uint64_t kSeeds = 12;
constexpr double kHalfwayToPublished = 2.0;  ///< seconds: shorter windows than this mislead (Kareus, section 5.3)

/// Measured energies of one partition under a protocol, over seeds.
struct Spread {
  double mean = 0.0;
  double deviation = 0.0;
};

/// A partition as large as those of training, on two GPUs.
device::Work partition() {
  workload::Operator product;
  product.name = "linear";
  product.kind = workload::OperatorKind::linear;
  product.products = {{.m = 16384, .n = 2048, .k = 3072}};
  product.work = Flops(2.0 * 16384 * 2048 * 3072);
  product.traffic = Bytes(2.0 * (16384.0 * 3072 + 3072.0 * 2048 + 16384.0 * 2048));
  return {.name = "linear", .compute = {product}, .slots = {}, .communication = {}};
}

Result<Spread> measure(const device::DeviceDescription& description, const profile::Protocol& protocol) {
  const device::Work work = partition();
  std::vector<double> energies;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    auto device = device::make_sim_device(description, seed);
    auto store = profile::Store::open(":memory:", "protocol");
    if (!store) return tl::unexpected(std::move(store).error());
    auto profiler = profile::Profiler::create(*device, *store, protocol, "protocol");
    if (!profiler) return tl::unexpected(std::move(profiler).error());
    // A search measures one configuration after the other: the die is as warm as the ones before left it.
    Result<profile::Measurement> last = tl::unexpected(Error{});
    const std::vector<Clock> clocks = description.searched.descending();
    // How many differs, so that the energy counter moves at another moment of each window.
    for (std::size_t i = std::min<std::size_t>(4 + seed, clocks.size()); i-- > 0;) {
      last = profiler->measure(work, {.clock = clocks[i], .config = {}}, "protocol");
      if (!last) return tl::unexpected(std::move(last).error());
    }
    energies.push_back(last->energy.si());
  }
  Spread spread;
  for (const double energy : energies) spread.mean += energy / static_cast<double>(kSeeds);
  for (const double energy : energies) spread.deviation += std::pow(energy / spread.mean - 1.0, 2.0);
  spread.deviation = std::sqrt(spread.deviation / static_cast<double>(kSeeds - 1));
  return spread;
}

}  // namespace

Result<void> check_protocol(const device::DeviceDescription& device, std::vector<Check>& checks) {
  const profile::Protocol published;
  profile::Protocol brief = published;
  brief.window = Seconds(kHalfwayToPublished / 4.0);
  profile::Protocol hot = published;
  hot.cooldown = Seconds(0.0);
  const auto reference = measure(device, published);
  if (!reference) return tl::unexpected(reference.error());
  const auto short_window = measure(device, brief);
  if (!short_window) return tl::unexpected(short_window.error());
  const auto no_cooldown = measure(device, hot);
  if (!no_cooldown) return tl::unexpected(no_cooldown.error());
  const double bias = short_window->mean / reference->mean - 1.0;
  add_points(checks, kLevel, "bias of a window of 0.5 s", 0.0, bias * 100.0, std::nullopt);
  add_points(checks, kLevel, "deviation of a window of 0.5 s", reference->deviation * 100.0,
             short_window->deviation * 100.0, std::nullopt);
  add_points(checks, kLevel, "bias without cooldown", 0.0, (no_cooldown->mean / reference->mean - 1.0) * 100.0,
             std::nullopt);
  // Twice the error of the mean tells a bias from chance.
  const double chance =
      2.0 * std::hypot(short_window->deviation, reference->deviation) / std::sqrt(static_cast<double>(kSeeds));
  add_statement(checks, kLevel, "windows under 2 s are biased", std::abs(bias) > chance);
  add_statement(checks, kLevel, "windows under 2 s are noisy", short_window->deviation > 2.0 * reference->deviation);
  add_statement(checks, kLevel, "no cooldown is biased upward", no_cooldown->mean > reference->mean);
  return {};
}

}  // namespace kareus::validate
