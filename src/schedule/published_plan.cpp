#include "schedule/published_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "schedule/literal.hpp"
#include "schedule/published_costs.hpp"
#include "schedule/published_types.hpp"

namespace kareus::schedule {
namespace {

using Kind = Literal::Kind;

constexpr std::int64_t kGreatestClock = 100'000;

/// Problems of one file, with the place of the literal that each is about.
class Problems {
 public:
  explicit Problems(std::string name) : name_(std::move(name)) {}

  void add(const Literal& at, std::string what, std::string hint = {}) {
    list.push_back({fmt::format("{}:{}:{}", name_, at.line, at.column), std::move(what), std::move(hint)});
  }
  bool require(const Literal& literal, Kind kind, std::string_view what) {
    if (literal.kind == kind) return true;
    add(literal, fmt::format("{} must be {}, not {}", what, describe(kind), describe(literal.kind)));
    return false;
  }

  std::vector<Problem> list;

 private:
  std::string name_;
};

/// The kind that an instruction's tuple starts with; nothing, and a problem, when it starts with something else.
std::optional<InstructionKind> read_kind(const Literal& tuple, Problems& problems) {
  if (!problems.require(tuple, Kind::tuple, "an instruction")) return std::nullopt;
  if (tuple.items.empty()) {
    problems.add(tuple, "the instruction is empty");
    return std::nullopt;
  }
  const Literal& name = tuple.items.front();
  if (!problems.require(name, Kind::text, "the name of an instruction")) return std::nullopt;
  for (const InstructionKind kind : {InstructionKind::forward, InstructionKind::backward}) {
    if (name.text == to_string(kind)) return kind;
  }
  const std::vector<std::string> known{to_string(InstructionKind::forward), to_string(InstructionKind::backward)};
  problems.add(name, fmt::format("'{}' is no instruction", name.text), suggestion(name.text, known));
  return std::nullopt;
}

std::optional<ImportedInstruction> read_clock(const Literal& tuple, Problems& problems) {
  const auto kind = read_kind(tuple, problems);
  if (!kind) return std::nullopt;
  if (tuple.items.size() != 2) {
    problems.add(tuple, fmt::format("an instruction has a name and a clock, not {} entries", tuple.items.size()));
    return std::nullopt;
  }
  const Literal& clock = tuple.items[1];
  if (!problems.require(clock, Kind::integer, "a clock")) return std::nullopt;
  if (clock.integer < 1 || clock.integer > kGreatestClock) {
    problems.add(clock, fmt::format("{} MHz is no clock", clock.integer));
    return std::nullopt;
  }
  const Clock locked{static_cast<int>(clock.integer)};
  return ImportedInstruction{.kind = *kind, .clock = locked, .partitions = {}, .recomputed = {}};
}

/// What all instructions of a file with schedules have in common.
struct FileLayout {
  bool context_parallel = false;
  bool by_microbatch = false;
};

std::optional<ImportedInstruction> read_configs(const Literal& tuple, FileLayout layout, Problems& problems) {
  const auto kind = read_kind(tuple, problems);
  if (!kind) return std::nullopt;
  const auto types = published_layout(*kind, layout.context_parallel, !layout.by_microbatch);
  if (tuple.items.size() != size(types) + 1) {
    problems.add(tuple, fmt::format("a {} instruction has {} configurations in this file, not {}", to_string(*kind),
                                    size(types), tuple.items.size() - 1));
    return std::nullopt;
  }
  ImportedInstruction instruction{.kind = *kind, .clock = {}, .partitions = {}, .recomputed = {}};
  for (std::size_t i = 0; i < size(types); ++i) {
    const bool recomputed = i < types.recomputed.size();
    const std::string& type = recomputed ? types.recomputed[i] : types.partitions[i - types.recomputed.size()];
    const Literal& text = tuple.items[i + 1];
    if (!problems.require(text, Kind::text, "a configuration")) continue;
    auto config = parse_published_config(text.text, type);
    if (!config) {
      const Problem& problem = config.error().problems.front();
      problems.add(text, problem.what, problem.hint);
      continue;
    }
    (recomputed ? instruction.recomputed : instruction.partitions).emplace_back(type, std::move(*config));
  }
  return instruction;
}

bool is_pair(const Literal& entry) {
  return entry.kind == Kind::tuple && entry.items.size() == 2 && entry.items[0].kind == Kind::tuple &&
         entry.items[1].kind == Kind::tuple;
}

/// Guesses the layout from the first entry that shows it; all others are then held to it.
FileLayout find_layout(const Literal& root) {
  for (const Literal& stage : root.items) {
    for (const Literal& entry : stage.items) {
      const bool pair = is_pair(entry);
      const Literal& first = pair ? entry.items[0] : entry;
      if (first.items.empty() || first.items[0].kind != Kind::text) continue;
      const bool forward = first.items[0].text == to_string(InstructionKind::forward);
      const InstructionKind kind = forward ? InstructionKind::forward : InstructionKind::backward;
      const bool context = first.items.size() == size(published_layout(kind, true, !pair)) + 1;
      return {.context_parallel = context, .by_microbatch = pair};
    }
  }
  return {};
}

void read_pair(const Literal& entry, FileLayout layout, std::vector<ImportedInstruction>& stage, Problems& problems) {
  if (!is_pair(entry)) {
    return problems.add(entry, "must be a pair of a forward and a backward, as the file's first entry");
  }
  auto forward = read_configs(entry.items[0], layout, problems);
  auto backward = read_configs(entry.items[1], layout, problems);
  if (!forward || !backward) return;
  if (forward->kind != InstructionKind::forward || backward->kind != InstructionKind::backward) {
    return problems.add(entry, "must be a forward followed by a backward");
  }
  stage.push_back(std::move(*forward));
  stage.push_back(std::move(*backward));
}

Result<PublishedFile> read_published(const NamedText& file, bool schedules) {
  auto literal = parse_literal(file.text, file.name);
  if (!literal) return tl::unexpected(std::move(literal).error());
  Problems problems(file.name);
  PublishedFile result;
  const Literal& root = literal->root;
  if (problems.require(root, Kind::list, "the file") && root.items.empty()) problems.add(root, "has no stage");
  const FileLayout layout = schedules ? find_layout(root) : FileLayout{};
  result.by_microbatch = layout.by_microbatch;
  for (const Literal& entries : root.kind == Kind::list ? root.items : std::vector<Literal>{}) {
    auto& stage = result.stages.emplace_back();
    if (!problems.require(entries, Kind::list, "a stage")) continue;
    for (const Literal& entry : entries.items) {
      if (layout.by_microbatch) {
        read_pair(entry, layout, stage, problems);
      } else if (auto read = schedules ? read_configs(entry, layout, problems) : read_clock(entry, problems)) {
        stage.push_back(std::move(*read));
      }
    }
  }
  result.costs = read_costs(literal->comments, file.name, problems.list);
  if (!problems.list.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems.list)});
  return result;
}

/// Gives the configurations of one stage to its instructions. Returns what is wrong, or nothing.
std::string merge(std::vector<ImportedInstruction>& stage, std::vector<ImportedInstruction>& configs,
                  bool by_microbatch) {
  if (stage.size() != configs.size()) {
    return fmt::format("has {} instructions, the clocks have {}", configs.size(), stage.size());
  }
  std::size_t next_of[] = {0, 0};
  for (std::size_t i = 0; i < stage.size(); ++i) {
    std::size_t source = i;
    if (by_microbatch) {
      const std::size_t kind = stage[i].kind == InstructionKind::forward ? 0 : 1;
      source = 2 * next_of[kind]++ + kind;
    }
    if (source >= configs.size() || configs[source].kind != stage[i].kind) {
      return fmt::format("differs from the clocks at instruction {}, which is a {} there", i, to_string(stage[i].kind));
    }
    stage[i].partitions = std::move(configs[source].partitions);
    stage[i].recomputed = std::move(configs[source].recomputed);
  }
  return {};
}

/// Adds the problems of two files that do not belong together.
void combine(PublishedFile& clocks, PublishedFile& configs, const std::string& name, std::vector<Problem>& problems) {
  const auto add = [&](std::string what) {
    problems.push_back({name, std::move(what), "give the two files of one plan"});
  };
  const auto differs = [](const auto& a, const auto& b) { return a && b && *a != *b; };
  if (differs(clocks.costs.iteration, configs.costs.iteration)) {
    add(fmt::format("is of iteration {}, the clocks are of {}", *configs.costs.iteration, *clocks.costs.iteration));
  } else if (differs(clocks.costs.effective_energy_j, configs.costs.effective_energy_j) ||
             differs(clocks.costs.total_energy_j, configs.costs.total_energy_j)) {
    add("names other costs than the clocks");
  }
  if (clocks.stages.size() != configs.stages.size()) {
    return add(fmt::format("has {} stages, the clocks have {}", configs.stages.size(), clocks.stages.size()));
  }
  for (std::size_t stage = 0; stage < clocks.stages.size(); ++stage) {
    const std::string wrong = merge(clocks.stages[stage], configs.stages[stage], configs.by_microbatch);
    if (!wrong.empty()) add(fmt::format("stage {} {}", stage, wrong));
  }
}

}  // namespace

Result<PublishedFile> read_published_clocks(const NamedText& file) {
  return read_published(file, false);
}

Result<PublishedFile> read_published_schedules(const NamedText& file) {
  return read_published(file, true);
}

Result<ImportedPlan> import_published_plan(const NamedText& clocks, const std::optional<NamedText>& schedules) {
  std::vector<Problem> problems;
  auto plan = read_published_clocks(clocks);
  if (!plan) problems = plan.error().problems;
  if (schedules) {
    auto configs = read_published_schedules(*schedules);
    if (!configs) {
      problems.insert(problems.end(), configs.error().problems.begin(), configs.error().problems.end());
    } else if (plan) {
      combine(*plan, *configs, schedules->name, problems);
      auto& costs = plan->costs;
      if (!costs.effective_energy_j) costs.effective_energy_j = configs->costs.effective_energy_j;
      if (!costs.total_energy_j) costs.total_energy_j = configs->costs.total_energy_j;
      if (!costs.iteration) costs.iteration = configs->costs.iteration;
    }
  }
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  return ImportedPlan{.stages = std::move(plan->stages),
                      .effective_energy_j = plan->costs.effective_energy_j,
                      .total_energy_j = plan->costs.total_energy_j,
                      .iteration = plan->costs.iteration.value_or(0)};
}

Result<ImportedPlan> import_published_plan(const std::filesystem::path& clocks,
                                           const std::optional<std::filesystem::path>& schedules) {
  const auto clocks_text = read_file(clocks);
  if (!clocks_text) return tl::unexpected(clocks_text.error());
  const NamedText clocks_file{.text = *clocks_text, .name = clocks.string()};
  if (!schedules) return import_published_plan(clocks_file, std::optional<NamedText>{});
  const auto schedules_text = read_file(*schedules);
  if (!schedules_text) return tl::unexpected(schedules_text.error());
  return import_published_plan(clocks_file, NamedText{.text = *schedules_text, .name = schedules->string()});
}

}  // namespace kareus::schedule
