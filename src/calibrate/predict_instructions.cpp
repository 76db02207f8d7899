#include <map>
#include <tuple>

#include "device/sim/settled.hpp"
#include "kareus/calibrate.hpp"

namespace kareus::calibrate {
namespace {

/// Costs of works at clocks, each simulated once.
class Costs {
 public:
  explicit Costs(const device::DeviceDescription& device) : device_(device) {}

  Result<InstructionPrediction> of(workload::Direction direction, const std::string& name,
                                   const std::vector<workload::Operator>& operators, Clock clock) {
    const auto key = std::tuple(direction, name, clock);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const device::Work work{.name = name, .compute = operators, .slots = {}, .communication = {}};
    auto settled = device::sim::simulate_settled(device_, work, {clock, std::nullopt});
    if (!settled) return tl::unexpected(std::move(settled).error());
    InstructionPrediction cost{.time = settled->simulation.time, .energy = settled->simulation.energy()};
    // Inside training, sequential execution takes longer than its kernels.
    const Seconds longer = cost.time * (device_.in_situ.sequential_factor - 1.0);
    cost.time += longer;
    cost.energy += device_.in_situ.power * longer;
    known_.emplace(key, cost);
    return cost;
  }

 private:
  const device::DeviceDescription& device_;
  std::map<std::tuple<workload::Direction, std::string, Clock>, InstructionPrediction> known_;
};

}  // namespace

Result<std::vector<InstructionPrediction>> predict(const device::DeviceDescription& device,
                                                   const InstructionProfile& profile) {
  const workload::WorkloadParts parts = workload::decompose(profile.workload, device.info().rates);
  Costs costs(device);
  std::vector<InstructionPrediction> predictions;
  for (const InstructionRow& row : profile.rows) {
    const auto stage = static_cast<std::size_t>(row.stage);
    const bool forward = row.direction == workload::Direction::forward;
    InstructionPrediction sum;
    const auto add = [&](const std::string& name, const std::vector<workload::Operator>& operators,
                         int times) -> Result<void> {
      auto cost = costs.of(row.direction, name, operators, row.clock);
      if (!cost) return tl::unexpected(std::move(cost).error());
      sum.time += cost->time * static_cast<double>(times);
      sum.energy += cost->energy * static_cast<double>(times);
      return {};
    };
    KAREUS_RETURN_IF_ERROR(add("layer", (forward ? parts.forward : parts.backward).sequential_layer,
                               profile.workload.layers_per_stage[stage]));
    for (const workload::NonPartitionWork& work : (forward ? parts.stage_forward : parts.stage_backward)[stage]) {
      KAREUS_RETURN_IF_ERROR(add(work.name, work.operators, 1));
    }
    predictions.push_back(sum);
  }
  return predictions;
}

}  // namespace kareus::calibrate
