#include "cli/frontier_text.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"

namespace kareus::cli {
namespace {

using planner::InstructionFrontier;
using planner::InstructionPoint;

std::string points_table(const InstructionFrontier& frontier) {
  std::vector<std::vector<std::string>> rows;
  for (const InstructionPoint& point : frontier.points) {
    rows.push_back({human(point.time), human(point.energy()), human(point.static_energy), human(point.slope),
                    fmt::format("{:+.3f}%", point.gap() * 100.0), std::to_string(point.clock_switches),
                    human(point.parking_saves)});
  }
  return text_table(std::vector<std::string>{"time", "energy", "static", "per second saved", "above the curve",
                                             "clock switches", "parking saves"},
                    rows);
}

std::string clocks_table(const InstructionFrontier& frontier) {
  const InstructionPoint& point = frontier.points.front();
  std::vector<std::vector<std::string>> rows;
  for (std::size_t stage = 0; stage < frontier.order.size(); ++stage) {
    const auto [pipeline, own] = frontier.pipeline_of(stage);
    std::map<planner::InstructionName, std::map<Clock, int, std::greater<>>> clocks;
    for (std::size_t i = 0; i < frontier.order[stage].size(); ++i) {
      const pipeline::Operation& operation = frontier.order[stage][i];
      clocks[{own, operation.chunk, operation.kind}][frontier.options_at(stage, i)[point.choices[stage][i]].clock]++;
    }
    for (const auto& [name, counts] : clocks) {
      std::string text;
      for (const auto& [clock, count] : counts) {
        text += fmt::format("{}{} x {} MHz", text.empty() ? "" : ", ", count, clock.mhz);
      }
      const std::string group = frontier.pipeline_stages.size() > 1 ? fmt::format("pipeline {} ", pipeline) : "";
      rows.push_back({group + to_string(name), text});
    }
  }
  return text_table(std::vector<std::string>{"instruction", "clocks"}, rows);
}

}  // namespace

std::string frontier_text(const InstructionFrontier& frontier) {
  std::string text = points_table(frontier);
  if (frontier.points.size() == 1) text += "\n" + clocks_table(frontier);
  const pipeline::Breakpoint& slowest = frontier.curve.front();
  const pipeline::Breakpoint& fastest = frontier.curve.back();
  text += fmt::format(
      "\nEnergies are of one GPU per stage, {} stages at {} static power.\ncurve: {} breakpoints from {} to {}\n",
      frontier.stages(), human(frontier.static_power), frontier.curve.size(), human(fastest.time), human(slowest.time));
  if (frontier.certified > 0) {
    text += fmt::format("verified: {} breakpoints, primal equals dual at each (gap 0)\n", frontier.certified);
  }
  return text;
}

}  // namespace kareus::cli
