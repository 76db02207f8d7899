#pragma once

#include <string>

#include "kareus/schedule.hpp"

namespace kareus::schedule::testing {

inline InstructionOption option(double time, double energy, int mhz, int sms) {
  return {.time = Seconds(time),
          .energy = Joules(energy),
          .schedule = {.clock = Clock{mhz},
                       .sequential = false,
                       .partitions = {{"fwd_attn", {SmCount{sms}, "rope_0"}}, {"fwd_mlp", {SmCount{6}, kNoSlot}}},
                       .recomputed = {}}};
}

inline InstructionOption sequential_option(double time, double energy, int mhz) {
  return {.time = Seconds(time),
          .energy = Joules(energy),
          .schedule = {.clock = Clock{mhz}, .sequential = true, .partitions = {}, .recomputed = {}}};
}

/// Two stages, two microbatches, three points. Static power 10 W; the middle point is the cheapest.
inline FrontierFile small_frontier() {
  const Instruction f0{InstructionKind::forward, 0}, f1{InstructionKind::forward, 1};
  const Instruction b0{InstructionKind::backward, 0}, b1{InstructionKind::backward, 1};
  FrontierFile frontier;
  frontier.provenance = {.tool_version = "0.1.0",
                         .workload = "small",
                         .workload_hash = "00ff",
                         .device = "a100-sxm4-40gb",
                         .method = "kareus",
                         .seed = 0xffff'ffff'ffff'fffeULL};
  frontier.static_power = Watts(10.0);
  frontier.gpus_per_stage = 4;
  frontier.pipelines = 2;
  frontier.order = {{f0, f1, b0, b1}, {f0, b0, f1, b1}};
  StageOptions stage;
  stage.forward = {option(1.0, 40.0, 1410, 15), option(1.5, 30.0, 1200, 12)};
  stage.backward = {sequential_option(2.0, 90.0, 1410), option(2.5, 70.0, 1290, 9)};
  stage.backward[1].schedule.recomputed = {{"fwd_attn", {SmCount{3}, "norm_0"}}};
  frontier.stages = {stage, stage};
  const auto point = [](double time, double dynamic, std::vector<std::vector<std::uint32_t>> choices) {
    return FrontierPoint{.time = Seconds(time),
                         .energy = Joules(20.0 * time + dynamic),
                         .static_energy = Joules(20.0 * time),
                         .dynamic_energy = Joules(dynamic),
                         .bound = Joules(20.0 * time + dynamic - 1.0),
                         .watts_per_second_saved = 12.5,
                         .choices = std::move(choices)};
  };
  frontier.points = {point(9.0, 400.0, {{0, 0, 0, 0}, {0, 0, 0, 0}}), point(10.1, 310.0, {{1, 0, 0, 0}, {0, 1, 0, 0}}),
                     point(12.0, 290.0, {{1, 1, 1, 1}, {1, 1, 1, 1}})};
  return frontier;
}

}  // namespace kareus::schedule::testing
