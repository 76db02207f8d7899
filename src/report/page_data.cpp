#include "report/page_data.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "report/data_values.hpp"
#include "report/key_numbers.hpp"
#include "report/series_data.hpp"

namespace kareus::report {
namespace {

using Json = nlohmann::ordered_json;

Json trace_json(const std::vector<device::TraceInterval>& trace, const std::vector<std::string>& kernels) {
  Json list = Json::array();
  for (const device::TraceInterval& interval : trace) {
    KAREUS_CHECK(!interval.compute || *interval.compute < kernels.size());
    const std::int64_t kernel = interval.compute ? static_cast<std::int64_t>(*interval.compute) : -1;
    list.push_back({rounded(interval.start.si()), rounded(interval.duration.si()), kernel, interval.compute_sms,
                    interval.communication_sms, rounded(interval.power.si()), interval.clock.mhz});
  }
  return list;
}

Json partition_json(const PartitionFrontier& frontier) {
  Distinct<std::string> slots;
  Distinct<std::string> passes;
  Json points = Json::array();
  Json traces = Json::array();
  for (const PartitionPoint& point : frontier.points) {
    if (!point.trace.empty()) traces.push_back({points.size(), trace_json(point.trace, frontier.kernels)});
    points.push_back({point.clock.mhz, point.config.sm_count.value, slots.index_of(point.config.launch_slot),
                      rounded(point.time.si()), rounded(point.energy.si()), rounded(point.dynamic_energy.si()),
                      passes.index_of(point.found_by), point.on_frontier ? 1 : 0});
  }
  Json partition;
  partition["type"] = frontier.type;
  partition["space_size"] = frontier.space_size;
  partition["slots"] = slots.values();
  partition["passes"] = passes.values();
  partition["kernels"] = frontier.kernels;
  partition["traces"] = std::move(traces);
  partition["points"] = std::move(points);
  return partition;
}

Json comparison_json(const std::optional<FrontierComparison>& comparison) {
  if (!comparison) return nullptr;
  return {{"point", comparison->point}, {"baseline_point", comparison->baseline_point}, {"saved", comparison->saved}};
}

Json key_numbers_json(const KeyNumbers& numbers) {
  Json json;
  json["fastest"] = nullptr;
  if (numbers.fastest) {
    json["fastest"] = {{"point", numbers.fastest->point},
                       {"time_change", finite(numbers.fastest->time_change)},
                       {"energy_change", finite(numbers.fastest->energy_change)}};
  }
  json["equal_time"] = comparison_json(numbers.equal_time);
  json["equal_energy"] = comparison_json(numbers.equal_energy);
  return json;
}

}  // namespace

std::string page_data(const ReportInput& input) {
  Json data;
  data["title"] = input.title;
  data["facts"] = Json::array();
  for (const auto& [label, value] : input.facts) data["facts"].push_back({label, value});
  data["key_numbers"] = key_numbers_json(key_numbers(input));
  data["series"] = Json::array();
  data["series"].push_back(series_data(input.kareus));
  for (const schedule::FrontierFile& baseline : input.baselines) data["series"].push_back(series_data(baseline));
  data["partitions"] = Json::array();
  for (const PartitionFrontier& partition : input.partitions) data["partitions"].push_back(partition_json(partition));
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kareus::report
