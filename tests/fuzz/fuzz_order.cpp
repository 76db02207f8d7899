#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kareus/pipeline.hpp"

namespace {

using kareus::pipeline::Dag;
using kareus::pipeline::Operation;
using kareus::pipeline::Order;

std::string to_json(const Order& order) {
  std::string json = R"({"stages":[)";
  for (std::size_t s = 0; s < order.size(); ++s) {
    json += s == 0 ? "[" : ",[";
    for (std::size_t i = 0; i < order[s].size(); ++i) {
      const Operation& operation = order[s][i];
      json += i == 0 ? "\"" : ",\"";
      json += "FBIWR"[static_cast<std::size_t>(operation.kind)];
      json += std::to_string(operation.microbatch) + "." + std::to_string(operation.chunk) + "\"";
    }
    json += "]";
  }
  return json + "]}";
}

void check(const Dag& dag, const Order& order) {
  std::size_t operations = 0;
  for (const auto& stage : order) operations += stage.size();
  if (dag.size() != operations || dag.predecessors.size() != operations || dag.tail.size() != operations) std::abort();
  for (std::size_t node = 0; node < dag.size(); ++node) {
    const Dag::Node& at = dag.nodes[node];
    const auto stage = static_cast<std::size_t>(at.stage);
    const auto position = static_cast<std::size_t>(at.position);
    if (dag.node_at[stage][position] != node || order[stage][position] != at.operation) std::abort();
    for (const auto& predecessor : dag.predecessors[node]) {
      if (predecessor.node >= node) std::abort();
    }
  }
}

}  // namespace

/// The input is an order in JSON. What is read must survive writing and reading; what builds must be a DAG of exactly
/// its operations.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto order = kareus::pipeline::parse_order(input, "order.json");
  if (!order) {
    if (order.error().problems.empty()) std::abort();
    return 0;
  }
  const auto again = kareus::pipeline::parse_order(to_json(*order), "order.json");
  if (!again || *again != *order) std::abort();
  const auto dag = kareus::pipeline::build_dag(*order);
  if (!dag) {
    if (dag.error().problems.empty()) std::abort();
    return 0;
  }
  check(*dag, *order);
  return 0;
}
