#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {
namespace {

void append(Dag& group, const Dag& added, int first_pipeline) {
  const auto first_node = static_cast<std::uint32_t>(group.size());
  for (Dag::Node node : added.nodes) {
    node.pipeline += first_pipeline;
    group.nodes.push_back(node);
  }
  for (std::vector<Dag::Predecessor> predecessors : added.predecessors) {
    for (Dag::Predecessor& predecessor : predecessors) predecessor.node += first_node;
    group.predecessors.push_back(std::move(predecessors));
  }
  for (std::vector<std::uint32_t> stage : added.node_at) {
    for (std::uint32_t& node : stage) node += first_node;
    group.node_at.push_back(std::move(stage));
  }
  group.tail.insert(group.tail.end(), added.tail.begin(), added.tail.end());
  group.stages += added.stages;
}

}  // namespace

// No edge joins two pipelines: what begins when all of them have ended is in the nodes' tails, and the iteration ends
// with the latest tail.
Dag join_pipelines(std::span<const Dag> pipelines) {
  Dag group;
  int first_pipeline = 0;
  for (const Dag& pipeline : pipelines) {
    append(group, pipeline, first_pipeline);
    int last = 0;  // a Dag may be a group itself
    for (const Dag::Node& node : pipeline.nodes) last = std::max(last, node.pipeline);
    first_pipeline += last + 1;
  }
  return group;
}

}  // namespace kareus::pipeline
