#include "device/sim/simulation_cache.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "device/sim/simulation.hpp"

namespace kareus::device::sim {
namespace {

constexpr double kBandKelvin = 2.0;
constexpr std::size_t kMaximumEntries = 1U << 18U;

/// Appends the bytes of a number; the key is compared within the process only.
template <class T>
void add(std::string& key, T value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  key.append(bytes, sizeof(T));
}

void add_text(std::string& key, const std::string& text) {
  add(key, text.size());
  key += text;
}

void add_operator(std::string& key, const workload::Operator& op) {
  add(key, op.kind);
  add(key, op.direction);
  add(key, op.work.si());
  add(key, op.traffic.si());
  add(key, op.ranks);
  add(key, op.message.si());
  add(key, op.products.size());
  for (const workload::MatrixShape& shape : op.products) {
    add(key, shape.m);
    add(key, shape.n);
    add(key, shape.k);
  }
}

}  // namespace

std::string SimulationCache::key(const Work& work, const Execution& execution) {
  std::string key;
  key.reserve(1024);
  add(key, execution.clock.mhz);
  add(key, work.compute.size());
  for (const workload::Operator& op : work.compute) add_operator(key, op);
  if (!work.communication) return key;
  add_operator(key, *work.communication);
  // The launch slot matters by the operator it starts with.
  add(key, execution.config->sm_count.value);
  add_text(key, execution.config->launch_slot);
  for (const workload::LaunchSlot& slot : work.slots) {
    if (slot.name == execution.config->launch_slot) add(key, slot.first_operator);
  }
  return key;
}

const ExecutionCost& SimulationCache::get(const DeviceDescription& device, const std::string& key, const Work& work,
                                          const Execution& execution, double degrees) {
  const double band = std::ceil(degrees / kBandKelvin);
  std::string full = key;
  add(full, band);
  if (const auto found = costs_.find(full); found != costs_.end()) return found->second;
  if (costs_.size() >= kMaximumEntries) costs_.clear();
  const auto simulation = simulate(device, work, execution, {.temperature = Celsius{band * kBandKelvin}});
  KAREUS_CHECK(simulation.has_value());
  const ExecutionCost cost{.seconds = simulation->time.si(),
                           .joules_without_leakage = (simulation->dynamic_energy + simulation->clock_tree_energy).si(),
                           .throttled = simulation->throttled};
  return costs_.emplace(std::move(full), cost).first->second;
}

}  // namespace kareus::device::sim
