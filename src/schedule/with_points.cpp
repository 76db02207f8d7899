#include <algorithm>

#include "kareus/schedule.hpp"

namespace kareus::schedule {
namespace {

/// Indices of the options of a kind that the points choose on a stage, ascending.
std::vector<std::uint32_t> chosen(const FrontierFile& frontier, std::size_t stage, InstructionKind kind) {
  std::vector<std::uint32_t> options;
  for (const FrontierPoint& point : frontier.points) {
    for (std::size_t i = 0; i < frontier.order[stage].size(); ++i) {
      if (frontier.order[stage][i].kind == kind) options.push_back(point.choices[stage][i]);
    }
  }
  std::sort(options.begin(), options.end());
  options.erase(std::unique(options.begin(), options.end()), options.end());
  return options;
}

void keep_chosen(FrontierFile& frontier, std::size_t stage, InstructionKind kind, std::vector<InstructionOption>& all) {
  const std::vector<std::uint32_t> kept = chosen(frontier, stage, kind);
  for (FrontierPoint& point : frontier.points) {
    for (std::size_t i = 0; i < frontier.order[stage].size(); ++i) {
      if (frontier.order[stage][i].kind != kind) continue;
      std::uint32_t& choice = point.choices[stage][i];
      choice = static_cast<std::uint32_t>(std::lower_bound(kept.begin(), kept.end(), choice) - kept.begin());
    }
  }
  std::vector<InstructionOption> options;
  for (const std::uint32_t index : kept) options.push_back(std::move(all[index]));
  all = std::move(options);
}

}  // namespace

FrontierFile with_points(FrontierFile frontier, std::span<const std::size_t> indices) {
  std::vector<FrontierPoint> points;
  for (const std::size_t index : indices) points.push_back(frontier.points.at(index));
  frontier.points = std::move(points);
  for (std::size_t stage = 0; stage < frontier.stages.size(); ++stage) {
    keep_chosen(frontier, stage, InstructionKind::forward, frontier.stages[stage].forward);
    keep_chosen(frontier, stage, InstructionKind::backward, frontier.stages[stage].backward);
  }
  return frontier;
}

}  // namespace kareus::schedule
