#include "planner/pipeline_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/csv.hpp"

namespace kareus::planner {
namespace {

using pipeline::OperationKind;
using Options = std::vector<ProfileOption>;

Result<pipeline::Order> order_of(const InstructionProfile& profile, const InstructionFrontierOptions& options) {
  if (!options.order) {
    return pipeline::make_order(options.schedule, profile.stages, options.microbatches, options.chunks);
  }
  if (static_cast<int>(options.order->size()) == profile.stages) return *options.order;
  return fail(ErrorCode::bad_input,
              fmt::format("the order has {} stages, the profile has {}", options.order->size(), profile.stages),
              profile.name);
}

/// Finds what the operations of one pipeline cost.
class Lookup {
 public:
  Lookup(const InstructionProfile& profile, std::vector<Problem>& problems, std::vector<std::string>& notes)
      : profile_(profile), problems_(problems), notes_(notes) {}

  /// The options of every instruction that occurs in the order.
  std::map<InstructionName, Options> of(const pipeline::Order& order) {
    std::set<InstructionName> used;
    for (std::size_t stage = 0; stage < order.size(); ++stage) {
      // Orders repeat few instructions very often: asking the set only for changes keeps half a million of them cheap.
      InstructionName last{-1, 0, {}};
      for (const pipeline::Operation& operation : order[stage]) {
        const InstructionName name{static_cast<int>(stage), operation.chunk, operation.kind};
        if (name != last) used.insert(name);
        last = name;
      }
    }
    std::map<InstructionName, Options> result;
    for (const InstructionName& name : used) {
      if (const Options* options = find(name)) result.emplace(name, *options);
    }
    note_unused(used);
    if (shared_chunks_) {
      notes_.push_back(
          fmt::format("{}: does not tell chunks apart: every chunk of a stage costs the same", profile_.name));
    }
    if (recomputes_as_forward_) {
      notes_.push_back(fmt::format("{}: has no rows of recompute: it costs what the forward costs", profile_.name));
    }
    return result;
  }

 private:
  const Options* find(InstructionName name) {
    const InstructionName wanted = name;
    if (profile_.chunks == 1 && name.chunk > 0) {
      shared_chunks_ = true;
      name.chunk = 0;
    }
    if (const Options* found = exact(name)) return found;
    if (name.kind == OperationKind::recompute) {
      name.kind = OperationKind::forward;
      if (const Options* found = exact(name)) {
        recomputes_as_forward_ = true;
        return found;
      }
    }
    const bool split = wanted.kind == OperationKind::input_gradient || wanted.kind == OperationKind::weight_gradient;
    problems_.push_back({profile_.name, fmt::format("{} has no rows, the schedule needs it", to_string(wanted)),
                         split ? "this schedule runs the backward as input_gradient and weight_gradient" : ""});
    return nullptr;
  }

  void note_unused(const std::set<InstructionName>& used) {
    std::set<std::pair<int, OperationKind>> of_order;
    for (const InstructionName& name : used) of_order.emplace(name.chunk, name.kind);
    for (const auto& [name, options] : profile_.instructions) {
      if (!of_order.emplace(name.chunk, name.kind).second) continue;
      notes_.push_back(
          fmt::format("{}: rows such as those of {} are not used by this schedule", profile_.name, to_string(name)));
    }
  }

  const Options* exact(const InstructionName& name) const {
    const auto found = profile_.instructions.find(name);
    return found == profile_.instructions.end() ? nullptr : &found->second;
  }

  const InstructionProfile& profile_;
  std::vector<Problem>& problems_;
  std::vector<std::string>& notes_;
  bool shared_chunks_ = false;
  bool recomputes_as_forward_ = false;
};

Joules effective(const ProfileOption& option, Watts static_power) {
  return option.energy - static_power * option.time;
}

/// Whether an option is beaten by another, or by a mixture of two others, in time and effective energy.
bool above_hull(const Options& options, const ProfileOption& own, Watts static_power) {
  const auto cost = [&](const ProfileOption& option) { return effective(option, static_power).si(); };
  for (const ProfileOption& fast : options) {
    if (fast.time > own.time) continue;
    if (cost(fast) <= cost(own) && (fast.time < own.time || cost(fast) < cost(own))) return true;
    for (const ProfileOption& slow : options) {
      if (fast.time >= own.time || slow.time <= own.time) continue;
      const double share = (own.time - fast.time) / (slow.time - fast.time);
      if (cost(fast) + share * (cost(slow) - cost(fast)) < cost(own)) return true;
    }
  }
  return false;
}

void note_doubtful(const InstructionProfile& profile, const std::map<InstructionName, Options>& used,
                   Watts static_power, std::vector<std::string>& notes) {
  std::size_t all = 0;
  std::size_t above = 0;
  std::size_t negative = 0;
  std::string first_above;
  std::string first_negative;
  for (const auto& [name, options] : used) {
    for (const ProfileOption& option : options) {
      all += 1;
      const std::string which = fmt::format("{} at {} MHz", to_string(name), option.clock.mhz);
      if (effective(option, static_power) < Joules(0) && negative++ == 0) first_negative = which;
      if (above_hull(options, option, static_power) && above++ == 0) first_above = which;
    }
  }
  if (negative > 0) {
    notes.push_back(fmt::format("{}: the static power is above the measured power of {} options (first: {})",
                                profile.name, negative, first_negative));
  }
  if (above > 0) {
    notes.push_back(
        fmt::format("{}: {} of {} options lie above the convex hull of their instruction (first: {}): the "
                    "curve does not use them",
                    profile.name, above, all, first_above));
  }
}

/// Adds the functions of one pipeline; returns the function of each instruction.
std::map<InstructionName, std::uint32_t> add_functions(const std::map<InstructionName, Options>& used,
                                                       const InstructionProfile& profile,
                                                       const InstructionFrontierOptions& options, PipelineGroup& group,
                                                       std::vector<Problem>& problems) {
  std::map<InstructionName, std::uint32_t> index;
  for (const auto& [name, measured] : used) {
    index.emplace(name, static_cast<std::uint32_t>(group.measured.functions.size()));
    auto& function = group.measured.functions.emplace_back();
    auto& clocks = group.clocks.emplace_back();
    for (const ProfileOption& option : measured) {
      function.push_back({.time = option.time, .effective_energy = effective(option, options.static_power)});
      clocks.push_back(option.clock);
    }
    if (options.cost_model == CostModel::hull) continue;
    auto fitted =
        exponential_costs(measured, options.static_power, options.unit_time, options.noise_factor, to_string(name));
    if (!fitted) {
      for (Problem problem : fitted.error().problems) {
        problem.where = profile.name;
        problems.push_back(std::move(problem));
      }
      fitted.emplace();
    }
    group.curve.functions.push_back(std::move(*fitted));
  }
  return index;
}

}  // namespace

Result<PipelineGroup> make_group(const std::vector<InstructionProfile>& profiles,
                                 const InstructionFrontierOptions& options) {
  PipelineGroup group;
  std::vector<pipeline::Dag> dags;
  std::vector<Problem> problems;
  std::vector<std::map<InstructionName, std::uint32_t>> functions;
  for (const InstructionProfile& profile : profiles) {
    auto order = order_of(profile, options);
    if (!order) return tl::unexpected(std::move(order).error());
    auto dag = pipeline::build_dag(*order, options.fixed);
    if (!dag) return tl::unexpected(std::move(dag).error());
    group.notes.insert(group.notes.end(), profile.notes.begin(), profile.notes.end());
    auto used = Lookup(profile, problems, group.notes).of(*order);
    note_doubtful(profile, used, options.static_power, group.notes);
    functions.push_back(add_functions(used, profile, options, group, problems));
    group.stages.push_back(profile.stages);
    group.options.push_back(std::move(used));
    std::move(order->begin(), order->end(), std::back_inserter(group.order));
    dags.push_back(std::move(*dag));
  }
  shorten(problems);
  if (!problems.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems)});
  group.dag = dags.size() == 1 ? std::move(dags.front()) : pipeline::join_pipelines(dags);

  group.measured.function_of.resize(group.dag.size());
  std::size_t stage = 0;
  for (std::size_t pipeline = 0; pipeline < profiles.size(); ++pipeline) {
    for (int own = 0; own < group.stages[pipeline]; ++own, ++stage) {
      for (std::size_t position = 0; position < group.order[stage].size(); ++position) {
        const pipeline::Operation& operation = group.order[stage][position];
        group.measured.function_of[group.dag.node_at[stage][position]] =
            functions[pipeline].at({own, operation.chunk, operation.kind});
      }
    }
  }
  if (options.cost_model == CostModel::hull) {
    group.curve = group.measured;
  } else {
    group.curve.function_of = group.measured.function_of;
  }
  return group;
}

}  // namespace kareus::planner
