// `solve_fn FILE.fn [options]`: solves the iteration curve of a pipeline whose cost functions are given as points, and
// prints JSON: what it took (nanoseconds, peak memory) and what came out. For comparison with other solvers, which read
// the same files.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cost_file.hpp"
#include "kareus/curve.hpp"
#include "kareus/pipeline.hpp"

namespace {

using namespace kareus;
using namespace kareus::pipeline;
using namespace kareus::bench;
using nlohmann::json;

struct Arguments {
  std::string file;
  double unit = 1;
  int stages = 0;        ///< 0: as in the file
  int microbatches = 0;  ///< 0: as in the file
  int chunks = 1;
  bool order = false;
  std::string schedule = "1f1b";
  double transfer = 0;
  double reduction = 0;
  double optimizer = 0;
  int repeats = 1;
  int deadlines = 0;
  bool times_from_stdin = false;
  bool breakpoints = false;
  std::size_t certificates = 0;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Solves the iteration curve of given cost functions");
  app.add_option("FILE", arguments.file)->required()->check(CLI::ExistingFile);
  app.add_option("--unit", arguments.unit, "seconds per unit of duration");
  app.add_option("--stages", arguments.stages, "beyond those of the file: the file's again, each round 1.3 % slower")
      ->check(CLI::PositiveNumber);
  app.add_option("--microbatches", arguments.microbatches)->check(CLI::PositiveNumber);
  app.add_option("--schedule", arguments.schedule);
  app.add_option("--chunks", arguments.chunks, "per stage (interleaved); all cost the same");
  app.add_flag("--order", arguments.order, "print the order, as in JSON files of orders");
  app.add_option("--transfer", arguments.transfer, "seconds between neighbouring stages");
  app.add_option("--gradient-reduction", arguments.reduction, "seconds after a stage's last backward");
  app.add_option("--optimizer-step", arguments.optimizer, "seconds after the reduction");
  app.add_option("--repeats", arguments.repeats, "how often to solve")->check(CLI::PositiveNumber);
  app.add_option("--deadlines", arguments.deadlines, "evaluate at so many times, ends of the curve included");
  app.add_flag("--times", arguments.times_from_stdin, "evaluate at the times (s) on standard input");
  app.add_flag("--breakpoints", arguments.breakpoints, "print all breakpoints");
  app.add_option("--certify", arguments.certificates, "check so many breakpoints, evenly spread");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return arguments;
}

/// Part of a backward that its first half takes, in time and energy, when a schedule splits it.
constexpr double kInputGradientPart = 0.625;

std::vector<NodeOption> part_of(std::vector<NodeOption> function, double part) {
  for (NodeOption& option : function) {
    option.time *= part;
    option.effective_energy *= part;
  }
  return function;
}

/// Costs of all nodes. A recomputation costs what its forward does.
NodeCosts costs_of(const Dag& dag, const CostFile& file) {
  NodeCosts costs{.function_of = {}, .functions = file.functions};
  const auto stages = static_cast<std::size_t>(file.stages);
  for (const double part : {kInputGradientPart, 1 - kInputGradientPart}) {
    for (std::size_t stage = 0; stage < stages; ++stage) {
      costs.functions.push_back(part_of(file.functions[stages + stage], part));
    }
  }
  const auto group = [](OperationKind kind) -> std::size_t {
    switch (kind) {
      case OperationKind::forward:
      case OperationKind::recompute:
        return 0;
      case OperationKind::backward:
        return 1;
      case OperationKind::input_gradient:
        return 2;
      case OperationKind::weight_gradient:
        return 3;
    }
    return 0;
  };
  for (const Dag::Node& node : dag.nodes) {
    const std::size_t function = group(node.operation.kind) * stages + static_cast<std::size_t>(node.stage);
    costs.function_of.push_back(static_cast<std::uint32_t>(function));
  }
  return costs;
}

json to_json(const Order& order) {
  json stages = json::array();
  for (const auto& stage : order) {
    json& names = stages.emplace_back(json::array());
    for (const Operation& operation : stage) names.push_back(short_name(operation));
  }
  return stages;
}

template <class Action>
auto timed(json& wall, json& cpu, Action action) {
  const std::int64_t cpu_before = cpu_nanoseconds();
  const auto before = std::chrono::steady_clock::now();
  auto result = action();
  wall.push_back(std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count());
  cpu.push_back(cpu_nanoseconds() - cpu_before);
  return result;
}

json energies_at(const Curve& curve, const Arguments& arguments) {
  json points = json::array();
  const auto add = [&](Seconds time) { points.push_back({time.si(), curve.at(time).si(), curve.slope_at(time).si()}); };
  if (arguments.times_from_stdin) {
    for (double time = 0; std::cin >> time;) add(Seconds(time));
  }
  for (int i = 0; i < arguments.deadlines; ++i) {
    const double part = arguments.deadlines == 1 ? 0.5 : static_cast<double>(i) / (arguments.deadlines - 1);
    add(curve.fastest() + part * (curve.slowest() - curve.fastest()));
  }
  return points;
}

json check(const Curve& curve, std::size_t wanted) {
  const std::size_t last = curve.breakpoints().size() - 1;
  const std::size_t count = std::min(wanted, last + 1);
  std::size_t optimal = 0;
  json wall, cpu;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = count == 1 ? last : i * last / (count - 1);
    optimal += timed(wall, cpu, [&] { return curve.certify(index); }).optimal() ? 1 : 0;
  }
  return {{"checked", count}, {"optimal", optimal}, {"cpu_ns", cpu}};
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  CostFile costs = read_cost_file(arguments.file, arguments.unit);
  if (arguments.stages > 0) costs = resize(costs, arguments.stages);
  if (arguments.microbatches > 0) costs.microbatches = arguments.microbatches;

  json report;
  const Order order = value_or_exit(make_order(arguments.schedule, costs.stages, costs.microbatches, arguments.chunks));
  if (arguments.order) report["order"] = to_json(order);
  const auto dag = timed(report["dag_wall_ns"], report["dag_cpu_ns"], [&] {
    return value_or_exit(build_dag(order, {.transfer = Seconds(arguments.transfer),
                                           .gradient_reduction = Seconds(arguments.reduction),
                                           .optimizer_step = Seconds(arguments.optimizer)}));
  });
  const NodeCosts node_costs = costs_of(dag, costs);

  std::optional<Curve> curve;
  for (int i = 0; i < arguments.repeats; ++i) {
    curve.reset();
    curve = timed(report["solve_wall_ns"], report["solve_cpu_ns"],
                  [&] { return value_or_exit(Curve::solve(dag, node_costs)); });
  }
  const std::int64_t peak = peak_memory_kb();

  report["stages"] = costs.stages;
  report["microbatches"] = costs.microbatches;
  report["instructions"] = dag.size();
  report["peak_rss_kb"] = peak;
  report["breakpoint_count"] = curve->breakpoints().size();
  report["fastest_s"] = curve->fastest().si();
  report["slowest_s"] = curve->slowest().si();
  if (arguments.breakpoints) {
    for (const Breakpoint& point : curve->breakpoints()) {
      report["breakpoints"].push_back({point.time.si(), point.effective_energy.si(), point.slope.si()});
    }
  }
  report["points"] = energies_at(*curve, arguments);
  if (arguments.certificates > 0) report["certificates"] = check(*curve, arguments.certificates);
  std::cout << report.dump() << '\n';
}
