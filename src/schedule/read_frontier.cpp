#include <fmt/format.h>

#include "base/files.hpp"
#include "schedule/json_names.hpp"
#include "schedule/json_read.hpp"

namespace kareus::schedule {
namespace {

constexpr std::int64_t kMostGpus = 1'000'000;

std::vector<InstructionOption> read_options(ConfigReader& stage, std::string_view key) {
  std::vector<InstructionOption> options;
  for (ConfigReader& reader : stage.tables(key)) {
    InstructionOption option;
    option.time = read_time(reader);
    option.energy = Joules(reader.number("energy_j"));
    option.schedule = read_schedule(reader);
    if (!options.empty() && option.time < options.back().time) {
      reader.report("time_s", fmt::format("the options of a stage must ascend in time, but {} s follows {} s",
                                          option.time.si(), options.back().time.si()));
    }
    reader.reject_unknown_keys();
    options.push_back(std::move(option));
  }
  return options;
}

void read_stages(ConfigReader& root, FrontierFile& frontier) {
  for (ConfigReader& stage : root.tables("stages")) {
    std::vector<Instruction> order;
    OrderChecker checker;
    for (const std::string& name : stage.texts("order")) {
      // An instruction that is none keeps its place, or every index after it would be judged by the wrong one.
      order.push_back(checker.add(name, stage, "order").value_or(Instruction{}));
    }
    frontier.order.push_back(std::move(order));
    StageOptions options;
    options.forward = read_options(stage, "forward");
    options.backward = read_options(stage, "backward");
    frontier.stages.push_back(std::move(options));
    stage.reject_unknown_keys();
  }
}

std::vector<std::uint32_t> read_choices(ConfigReader& reader, const std::vector<Instruction>& order,
                                        const StageOptions& options) {
  const auto numbers = reader.integers("choices", {.low = 0, .high = std::numeric_limits<std::uint32_t>::max()});
  if (reader.has("choices") && numbers.size() != order.size()) {
    reader.report("choices",
                  fmt::format("has {} choices, but the stage executes {} instructions", numbers.size(), order.size()));
  }
  std::vector<std::uint32_t> choices;
  choices.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    choices.push_back(static_cast<std::uint32_t>(numbers[i]));
    if (i >= order.size()) continue;
    const std::size_t count = options.of(order[i].kind).size();
    if (choices.back() >= count) {
      reader.report("choices", fmt::format("chooses option {} for {}, but the stage has {} {} options, counted from 0",
                                           choices.back(), short_name(order[i]), count, to_string(order[i].kind)));
    }
  }
  return choices;
}

FrontierPoint read_point(ConfigReader& reader, const FrontierFile& frontier) {
  FrontierPoint point;
  point.time = read_time(reader);
  const Energies energies = read_energies(reader);
  point.energy = energies.total;
  point.static_energy = energies.constant;
  point.dynamic_energy = energies.dynamic;
  point.bound = Joules(reader.number("bound_j"));
  point.watts_per_second_saved = reader.number("joules_per_saved_second");
  auto stages = reader.tables("stages");
  if (reader.has("stages") && stages.size() != frontier.stages.size()) {
    reader.report("stages", fmt::format("has choices for {} stages, but the file has {} stages", stages.size(),
                                        frontier.stages.size()));
  }
  for (std::size_t stage = 0; stage < std::min(stages.size(), frontier.stages.size()); ++stage) {
    point.choices.push_back(read_choices(stages[stage], frontier.order[stage], frontier.stages[stage]));
    stages[stage].reject_unknown_keys();
  }
  reader.reject_unknown_keys();
  return point;
}

void read_points(ConfigReader& root, FrontierFile& frontier) {
  for (ConfigReader& reader : root.tables("points")) {
    FrontierPoint point = read_point(reader, frontier);
    if (!frontier.points.empty() && point.time <= frontier.points.back().time) {
      reader.report("time_s", fmt::format("the points must ascend in time, but {} s follows {} s", point.time.si(),
                                          frontier.points.back().time.si()));
    }
    frontier.points.push_back(std::move(point));
  }
}

}  // namespace

Result<FrontierFile> parse_frontier(std::string_view text, std::string name) {
  const auto document = open_document(text, std::move(name), kFrontierFormat);
  if (!document) return tl::unexpected(document.error());
  std::vector<Problem> problems;
  ConfigReader root(*document, problems);
  root.text("format");
  root.integer("version");
  FrontierFile frontier;
  frontier.provenance = read_provenance(root);
  frontier.static_power = Watts(root.number("static_power_w", {.low = 0.0}));
  frontier.static_power_at = read_power_by_clock(root);
  frontier.gpus_per_stage = static_cast<int>(root.integer("gpus_per_stage", {.low = 1, .high = kMostGpus}));
  frontier.pipelines = static_cast<int>(root.integer("pipelines", {.low = 1, .high = kMostGpus}));
  read_stages(root, frontier);
  read_points(root, frontier);
  root.reject_unknown_keys();
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return frontier;
}

Result<FrontierFile> read_frontier(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_frontier(*text, path.string());
}

}  // namespace kareus::schedule
