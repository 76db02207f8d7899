#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace kareus::cli {
namespace {

struct Row {
  std::string name;
  const schedule::FrontierFile* file;
  const schedule::FrontierPoint* point;
};

std::vector<Row> rows(const planner::PlanResult& result) {
  return {
      {"Megatron-LM (sequential, highest clock)", &result.megatron, &result.megatron.points.front()},
      {"Megatron-LM + Perseus, fastest", &result.megatron_perseus, &result.megatron_perseus.points.front()},
      {"Megatron-LM + Perseus, least energy", &result.megatron_perseus, &result.megatron_perseus.points.back()},
      {"Kareus, fastest", &result.kareus, &result.kareus.points.front()},
      {"Kareus, least energy", &result.kareus, &result.kareus.points.back()},
  };
}

std::string percent(double ratio) {
  return fmt::format("{:+.1f}%", (ratio - 1.0) * 100.0);
}

}  // namespace

std::string plan_summary(const planner::PlanResult& result, const RunFolder& folder, bool json) {
  const schedule::FrontierPoint& base = result.megatron.points.front();
  if (json) {
    nlohmann::ordered_json methods = nlohmann::ordered_json::array();
    for (const Row& row : rows(result)) {
      methods.push_back({{"name", row.name},
                         {"time_s", row.point->time.si()},
                         {"energy_j", schedule::job_energy(*row.file, row.point->energy).si()},
                         {"time_ratio", row.point->time / base.time},
                         {"energy_ratio", row.point->energy / base.energy}});
    }
    return nlohmann::ordered_json{{"frontier", folder.frontier().string()},
                                  {"report", folder.report().string()},
                                  {"points", result.kareus.points.size()},
                                  {"methods", methods}}
               .dump(2) +
           "\n";
  }
  std::vector<std::vector<std::string>> table;
  for (const Row& row : rows(result)) {
    table.push_back({row.name, human(row.point->time), human(schedule::job_energy(*row.file, row.point->energy)),
                     percent(row.point->time / base.time), percent(row.point->energy / base.energy)});
  }
  std::string text = text_table(
      std::vector<std::string>{"iteration", "time", "energy", "time vs Megatron-LM", "energy vs Megatron-LM"}, table);
  text += fmt::format("\n{} points in {}\nreport: {}\nnext: kareus select {} --deadline 1.05x\n",
                      result.kareus.points.size(), folder.frontier().string(), folder.report().string(),
                      folder.path().string());
  return text;
}

std::string plan_text(const schedule::Plan& plan) {
  const double gpus = static_cast<double>(plan.gpus_per_stage) * plan.pipelines;
  std::string text =
      fmt::format("{}: {} per iteration, {} ({} static, {} dynamic), {} GPUs\n", plan.provenance.workload,
                  human(plan.time), human(plan.energy * gpus), human(plan.static_energy * gpus),
                  human(plan.dynamic_energy * gpus), gpus * static_cast<double>(plan.stages.size()));
  std::vector<std::vector<std::string>> table;
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
    for (const auto kind : {schedule::InstructionKind::forward, schedule::InstructionKind::backward}) {
      std::map<Clock, int, std::greater<>> clocks;
      int sequential = 0;
      for (const schedule::PlannedInstruction& planned : plan.stages[stage]) {
        if (planned.instruction.kind != kind) continue;
        clocks[planned.schedule.clock] += 1;
        sequential += planned.schedule.sequential ? 1 : 0;
      }
      std::vector<std::string> words;
      int total = 0;
      for (const auto& [clock, count] : clocks) {
        words.push_back(fmt::format("{} x {} MHz", count, clock.mhz));
        total += count;
      }
      table.push_back({std::to_string(stage), to_string(kind), fmt::format("{} of {}", total - sequential, total),
                       join_words(words)});
    }
  }
  return text + text_table(std::vector<std::string>{"stage", "instruction", "overlapped", "clocks"}, table);
}

}  // namespace kareus::cli
