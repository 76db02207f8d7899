// `solve_long FILE.fn UNIT STAGES MICROBATCHES POINTS`: certified points of the curve of a pipeline too long to follow
// all of it, from its steady state. Prints JSON: what it took and how many points are proven and came from the steady
// state.
#include <nlohmann/json.hpp>

#include "cost_file.hpp"
#include "kareus/steady_state.hpp"

namespace {

using namespace kareus;
using namespace kareus::pipeline;
using namespace kareus::bench;

nlohmann::json describe(const LongCurve& curve) {
  std::size_t optimal = 0;
  std::size_t repeated = 0;
  nlohmann::json points = nlohmann::json::array();
  for (const LongPoint& point : curve.points()) {
    optimal += point.certificate.optimal() ? 1 : 0;
    repeated += point.from_steady_state ? 1 : 0;
    points.push_back({point.time.si(), point.effective_energy.si(), point.slope.si()});
  }
  return {{"points", points},
          {"optimal", optimal},
          {"from_steady_state", repeated},
          {"solved_microbatches", curve.solved_microbatches()}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: solve_long FILE.fn UNIT STAGES MICROBATCHES POINTS\n";
    return 2;
  }
  const int stages = std::atoi(argv[3]);
  LongPipeline pipeline{.stages = stages,
                        .microbatches = std::atoi(argv[4]),
                        .functions = resize(read_cost_file(argv[1], std::atof(argv[2])), stages).functions,
                        .fixed = {}};
  const std::int64_t before = cpu_nanoseconds();
  const LongCurve curve = value_or_exit(LongCurve::solve(pipeline, static_cast<std::size_t>(std::atoi(argv[5]))));
  const std::int64_t after = cpu_nanoseconds();
  nlohmann::json report = describe(curve);
  report["cpu_ns"] = after - before;
  report["peak_rss_kb"] = peak_memory_kb();
  std::cout << report.dump() << '\n';
}
