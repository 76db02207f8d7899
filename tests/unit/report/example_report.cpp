#include "example_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/text.hpp"

namespace kareus::report {
namespace {

using schedule::FrontierFile;
using schedule::FrontierPoint;
using schedule::Instruction;
using schedule::InstructionKind;
using schedule::InstructionOption;
using schedule::StageOptions;

constexpr double kStaticWatts = 85;
constexpr int kHighestClock = 1410;
constexpr int kGpusPerStage = 8;
constexpr std::array<const char*, 3> kForwardSlots{"rmsnorm", "qkv_proj", "attention"};
constexpr std::array<const char*, 3> kBackwardSlots{"attention_bwd", "proj_bwd", "rmsnorm_bwd"};

int clock_at(int step) {
  return kHighestClock - 15 * step;
}

/// Seconds and joules of work that takes `seconds` at the highest clock, a quarter of it independent of the clock.
std::pair<double, double> cost(double seconds, int clock) {
  const double ratio = static_cast<double>(clock) / kHighestClock;
  const double time = seconds * (0.25 + 0.75 / ratio);
  const double dynamic = seconds * (70 + 245 * ratio * ratio);
  return {time, kStaticWatts * time + dynamic};
}

InstructionOption option_of(double seconds, int step, InstructionKind kind, bool sequential) {
  const int clock = clock_at(step);
  const auto [time, energy] = cost(seconds, clock);
  InstructionOption option{.time = Seconds(time), .energy = Joules(energy), .schedule = {}};
  option.schedule.clock = Clock{clock};
  option.schedule.sequential = sequential;
  if (sequential) return option;
  const bool forward = kind == InstructionKind::forward;
  const auto& slots = forward ? kForwardSlots : kBackwardSlots;
  const auto pick = static_cast<std::size_t>(step / 12) % slots.size();
  auto& partitions = option.schedule.partitions;
  partitions[forward ? "fwd_attn" : "bwd_attn"] = {SmCount{8 + 2 * (step / 10)}, slots[pick]};
  partitions[forward ? "fwd_mlp" : "bwd_mlp"] = {SmCount{12}, step > 24 ? schedule::kNoSlot : slots[(pick + 1) % 3]};
  return option;
}

StageOptions options_of_stage(int stage, const ExampleSize& size, bool sequential) {
  const double slower = sequential ? 1.09 : 1.0;
  const double forward = (0.105 + (stage + 1 == size.stages ? 0.012 : 0.0)) * slower;
  StageOptions options;
  for (int step = 0; step < size.clocks; ++step) {
    options.forward.push_back(option_of(forward, step, InstructionKind::forward, sequential));
    options.backward.push_back(option_of(forward * 1.94, step, InstructionKind::backward, sequential));
  }
  return options;
}

std::vector<Instruction> one_forward_one_backward(int stage, const ExampleSize& size) {
  const int warm_up = std::min(size.stages - 1 - stage, size.microbatches);
  std::vector<Instruction> order;
  for (int m = 0; m < warm_up; ++m) order.push_back({InstructionKind::forward, m});
  for (int m = warm_up; m < size.microbatches; ++m) {
    order.push_back({InstructionKind::forward, m});
    order.push_back({InstructionKind::backward, m - warm_up});
  }
  for (int m = size.microbatches - warm_up; m < size.microbatches; ++m) {
    order.push_back({InstructionKind::backward, m});
  }
  return order;
}

const InstructionOption& chosen(const FrontierFile& file, const FrontierPoint& point, std::size_t stage,
                                std::size_t i) {
  return file.stages[stage].of(file.order[stage][i].kind)[point.choices[stage][i]];
}

/// End of the pipeline, by relaxation until nothing moves (slow and plainly right).
double end_of(const FrontierFile& file, const FrontierPoint& point) {
  const std::size_t stages = file.order.size();
  const std::size_t microbatches = file.order[0].size() / 2;
  std::vector<std::vector<double>> forward(stages, std::vector<double>(microbatches)), backward = forward;
  double end = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < stages; ++s) {
      double free_at = 0;
      for (std::size_t i = 0; i < file.order[s].size(); ++i) {
        const auto m = static_cast<std::size_t>(file.order[s][i].microbatch);
        const bool is_forward = file.order[s][i].kind == InstructionKind::forward;
        double start = free_at;
        if (is_forward && s > 0) start = std::max(start, forward[s - 1][m]);
        if (!is_forward && s + 1 < stages) start = std::max(start, backward[s + 1][m]);
        free_at = start + chosen(file, point, s, i).time.si();
        double& mine = (is_forward ? forward : backward)[s][m];
        moved = moved || mine != free_at;
        mine = free_at;
      }
      end = std::max(end, free_at);
    }
  }
  return end;
}

void account(const FrontierFile& file, FrontierPoint& point) {
  const double time = end_of(file, point);
  double dynamic = 0;
  for (std::size_t s = 0; s < file.order.size(); ++s) {
    for (std::size_t i = 0; i < file.order[s].size(); ++i) {
      const InstructionOption& option = chosen(file, point, s, i);
      dynamic += option.energy.si() - kStaticWatts * option.time.si();
    }
  }
  const double fixed = kStaticWatts * time * static_cast<double>(file.order.size());
  point.time = Seconds(time);
  point.static_energy = Joules(fixed);
  point.dynamic_energy = Joules(dynamic);
  point.energy = Joules(fixed + dynamic);
  point.bound = Joules((fixed + dynamic) * 0.9975);
}

FrontierFile frame(const ExampleSize& size, std::string method, bool sequential) {
  FrontierFile file;
  file.provenance = {.tool_version = "0.1.0",
                     .workload = "llama-3-8b-tp8",
                     .workload_hash = "4f1c09d27be3a855",
                     .device = "A100-SXM4-40GB (simulated)",
                     .method = std::move(method),
                     .seed = 7};
  file.static_power = Watts(kStaticWatts);
  file.gpus_per_stage = kGpusPerStage;
  file.pipelines = 2;
  for (int stage = 0; stage < size.stages; ++stage) {
    file.order.push_back(one_forward_one_backward(stage, size));
    file.stages.push_back(options_of_stage(stage, size, sequential));
  }
  return file;
}

/// Point `k` of `count`: everything at one of two neighbouring clocks, the early stages slower where they have slack.
FrontierPoint point_at(const FrontierFile& file, const ExampleSize& size, int k, int count) {
  const double position = count > 1 ? static_cast<double>(k) * (size.clocks - 3) / (count - 1) : 0;
  FrontierPoint point;
  for (std::size_t s = 0; s < file.order.size(); ++s) {
    auto& choices = point.choices.emplace_back();
    for (std::size_t i = 0; i < file.order[s].size(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(file.order[s].size());
      const bool slack = count > 1 && s + 1 < file.order.size() && share > 0.3 && share < 0.6;
      const int step = static_cast<int>(position + share) + (slack ? 1 : 0);
      choices.push_back(static_cast<std::uint32_t>(std::min(step, size.clocks - 1)));
    }
  }
  account(file, point);
  return point;
}

/// Keeps the frontier, fastest first, and writes the slopes between neighbours.
void finish(FrontierFile& file) {
  std::sort(file.points.begin(), file.points.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  std::vector<FrontierPoint> kept;
  for (const FrontierPoint& point : file.points) {
    if (kept.empty() || point.energy < kept.back().energy) kept.push_back(point);
  }
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    kept[i].watts_per_second_saved =
        (kept[i].energy - kept[i + 1].energy) / (kept[i + 1].time - kept[i].time) / Watts(1);
  }
  file.points = std::move(kept);
}

FrontierFile frontier(const ExampleSize& size, std::string method, bool sequential, int count) {
  FrontierFile file = frame(size, std::move(method), sequential);
  for (int k = 0; k < count; ++k) file.points.push_back(point_at(file, size, k, count));
  finish(file);
  return file;
}

void mark_frontier(std::vector<PartitionPoint>& points) {
  const auto mark = [&](auto energy) {
    for (PartitionPoint& point : points) {
      const bool beaten = std::any_of(points.begin(), points.end(), [&](const PartitionPoint& other) {
        return other.time <= point.time && energy(other) <= energy(point) &&
               (other.time < point.time || energy(other) < energy(point));
      });
      point.on_frontier = point.on_frontier || !beaten;
    }
  };
  mark([](const PartitionPoint& point) { return point.energy; });
  mark([](const PartitionPoint& point) { return point.dynamic_energy; });
}

/// Three kernels one after another, the communication beside the second.
std::vector<device::TraceInterval> trace_of(const PartitionPoint& point) {
  const Seconds third = point.time / 3.0;
  const Watts watts = point.energy / point.time;
  std::vector<device::TraceInterval> trace;
  for (int i = 0; i < 3; ++i) {
    const int taken = i == 1 ? point.config.sm_count.value : 0;
    trace.push_back({.start = third * static_cast<double>(i),
                     .duration = third,
                     .clock = point.clock,
                     .compute = static_cast<std::size_t>(i),
                     .compute_sms = 108 - taken,
                     .communication_sms = taken,
                     .power = watts * (i == 1 ? 1.2 : 0.9)});
  }
  return trace;
}

PartitionFrontier partition(std::string type, double milliseconds, const std::array<const char*, 3>& slots, int count) {
  constexpr std::array<const char*, 5> kPasses{"initial", "total_energy", "dynamic_energy", "static_energy",
                                               "uncertainty"};
  PartitionFrontier frontier{.type = type, .space_size = 1620, .kernels = {slots.begin(), slots.end()}, .points = {}};
  std::mt19937_64 random(derive_seed(7, type));
  for (int i = 0; i < count; ++i) {
    const auto pass = i < count / 2 ? 0U : 1U + static_cast<unsigned>(i * 4 / count * 2 + i) % 4U;
    // Guided passes look where the frontier is: few SMs too many or too few, no late launch.
    const int spread = pass == 0 || pass == 4 ? 14 : 5;
    const int sms = 12 + 2 * (static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 3);
    const auto slot = random() % (spread > 5 ? 4U : 2U);
    const int clock = clock_at(static_cast<int>(random() % 34U));
    const double late = slot == 3 ? 0.17 : 0.02 * static_cast<double>(slot);
    const double contention = 0.0004 * (sms - 12) * (sms - 12) + late;
    const auto [time, energy] = cost(milliseconds * 1e-3 * (1 + contention), clock);
    frontier.points.push_back({.clock = Clock{clock},
                               .config = {SmCount{sms}, slot == 3 ? schedule::kNoSlot : slots[slot]},
                               .time = Seconds(time),
                               .energy = Joules(energy),
                               .dynamic_energy = Joules(energy - kStaticWatts * time),
                               .found_by = kPasses[pass]});
  }
  mark_frontier(frontier.points);
  for (PartitionPoint& point : frontier.points) {
    if (point.on_frontier) point.trace = trace_of(point);
  }
  return frontier;
}

}  // namespace

ReportInput example_report(const ExampleSize& size) {
  ReportInput input;
  input.title = "Llama 3 8B, tensor parallel 8, on A100";
  input.facts = {{"Model", "Llama 3 8B, 32 layers, hidden size 4096"},
                 {"Device", "A100-SXM4-40GB (simulated)"},
                 {"Parallelism", fmt::format("{} stages, tensor parallel 8, 2 pipelines", size.stages)},
                 {"Training", fmt::format("{} microbatches of 8 × 4096 tokens", size.microbatches)},
                 {"Measured", fmt::format("{} of 6,480 configurations", 4 * size.partition_points)},
                 {"Cost of profiling", "2.9 h of 8 GPUs, 7.4 MJ"}};
  input.kareus = frontier(size, "kareus", false, size.points);
  input.baselines.push_back(frontier(size, "megatron", true, 1));
  input.baselines.push_back(frontier(size, "megatron-perseus", true, size.points / 2));
  input.partitions.push_back(partition("fwd_attn", 1.42, kForwardSlots, size.partition_points));
  input.partitions.push_back(partition("fwd_mlp", 1.86, kForwardSlots, size.partition_points));
  input.partitions.push_back(partition("bwd_attn", 2.71, kBackwardSlots, size.partition_points));
  input.partitions.push_back(partition("bwd_mlp", 3.55, kBackwardSlots, size.partition_points));
  return input;
}

ReportInput hostile_report() {
  const std::string script = "<script>alert(1)</script>";
  ReportInput input = example_report();
  input.title = script + " & \"title\" </title><img src=x onerror=alert(2)>";
  input.facts.emplace_back("<b>label</b>", "</script><!-- " + script + " {{data}} '\" \xff\xfe \n end");
  input.kareus.provenance.workload = script;
  input.kareus.provenance.device = "<img src=x onerror=alert(3)>";
  for (auto& stage : input.kareus.stages) {
    for (auto& option : stage.forward) {
      option.schedule.partitions[script] = {SmCount{4}, "<i>slot</i>"};
      option.schedule.recomputed["re\u2028<p>"] = {SmCount{4}, schedule::kNoSlot};
    }
  }
  input.baselines[1].provenance.method = "<u>method</u>";
  input.partitions[0].type = script;
  input.partitions[0].kernels[0] = script;
  input.partitions[1].kernels[0] = "<i>kernel</i>";
  input.partitions[0].points[0].found_by = "<i>pass</i>";
  input.partitions[0].points[0].config.launch_slot = "=slot,\"<i>\"";
  return input;
}

ReportInput smallest_report() {
  ReportInput input;
  input.title = "One point";
  input.kareus = frontier({.stages = 1, .microbatches = 1, .points = 1, .clocks = 1}, "kareus", false, 1);
  return input;
}

}  // namespace kareus::report
