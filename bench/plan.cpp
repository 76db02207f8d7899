// `bench_plan [WORKLOAD.toml ...]`: wall and CPU time and peak memory of the main job from nothing to a frontier, on
// two threads with the published budgets, and how much of the CPU time is spent inside XGBoost. Medians of three runs.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "cli/device_choice.hpp"
#include "kareus/planner.hpp"

namespace {

std::atomic<std::int64_t> nanoseconds_in_xgboost = 0;

std::int64_t cpu_nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

/// Adds the CPU time that the calling thread spends in a call.
template <class Call>
int timed(Call call) {
  const std::int64_t before = cpu_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const int result = call();
  nanoseconds_in_xgboost += cpu_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before;
  return result;
}

}  // namespace

// The linker sends the calls of the search room here and ours to the library (--wrap).
#define KAREUS_WRAP(name, parameters, arguments)           \
  extern "C" int __real_##name parameters;                 \
  extern "C" int __wrap_##name parameters {                \
    return timed([&] { return __real_##name arguments; }); \
  }

KAREUS_WRAP(XGDMatrixCreateFromMat, (const float* d, bst_ulong r, bst_ulong c, float m, DMatrixHandle* o),
            (d, r, c, m, o))
KAREUS_WRAP(XGDMatrixSetFloatInfo, (DMatrixHandle h, const char* f, const float* a, bst_ulong n), (h, f, a, n))
KAREUS_WRAP(XGDMatrixFree, (DMatrixHandle h), (h))
KAREUS_WRAP(XGBoosterCreate, (const DMatrixHandle* m, bst_ulong n, BoosterHandle* o), (m, n, o))
KAREUS_WRAP(XGBoosterSetParam, (BoosterHandle h, const char* n, const char* v), (h, n, v))
KAREUS_WRAP(XGBoosterUpdateOneIter, (BoosterHandle h, int i, DMatrixHandle m), (h, i, m))
KAREUS_WRAP(XGBoosterPredictFromDense,
            (BoosterHandle h, char const* v, char const* c, DMatrixHandle m, bst_ulong const** s, bst_ulong* d,
             const float** r),
            (h, v, c, m, s, d, r))
KAREUS_WRAP(XGBoosterFree, (BoosterHandle h), (h))

namespace {

struct Cost {
  double wall = 0;
  double cpu = 0;
  double xgboost = 0;
  std::size_t measurements = 0;
};

Cost plan_once(const std::filesystem::path& path) {
  using namespace kareus;
  nanoseconds_in_xgboost = 0;
  const auto started = std::chrono::steady_clock::now();
  const std::int64_t cpu = cpu_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const auto workload = workload::read_workload(path);
  const auto device = cli::choose_device(workload->device, path, {});
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("bench-{}.db", ::getpid());
  std::filesystem::remove(file);
  planner::Options options;
  options.threads = 2;
  std::size_t measurements = 0;
  options.on_progress = [&](const planner::Progress& progress) { measurements = progress.done; };
  auto store = profile::Store::open(file, planner::store_identity(*workload, device->identity, options));
  const auto result = planner::plan(*workload, device->open, *store, options);
  std::filesystem::remove(file);
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().to_string());
    std::exit(1);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  return {.wall = wall.count(),
          .cpu = static_cast<double>(cpu_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e-9,
          .xgboost = static_cast<double>(nanoseconds_in_xgboost) * 1e-9,
          .measurements = measurements};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> workloads(argv + 1, argv + argc);
  if (workloads.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator("workloads")) {
      if (entry.path().extension() == ".toml" && entry.path().filename().string().find("70b") == std::string::npos) {
        workloads.push_back(entry.path());
      }
    }
    std::sort(workloads.begin(), workloads.end());
  }
  utsname machine{};
  ::uname(&machine);
  int major = 0;
  int minor = 0;
  int patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  fmt::print("{} {}, {} cores, XGBoost {}.{}.{}, g++ {}\n", machine.sysname, machine.machine,
             ::sysconf(_SC_NPROCESSORS_ONLN), major, minor, patch, __VERSION__);
  fmt::print("{:<40} {:>8} {:>8} {:>8} {:>12} {:>10}\n", "workload", "wall s", "CPU s", "XGBoost", "outside it",
             "measured");
  for (const auto& path : workloads) {
    std::vector<Cost> costs;
    for (int i = 0; i < 3; ++i) costs.push_back(plan_once(path));
    std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.wall < b.wall; });
    const Cost& median = costs[1];
    fmt::print("{:<40} {:>8.2f} {:>8.2f} {:>8.2f} {:>11.0f}% {:>10}\n", path.stem().string(), median.wall, median.cpu,
               median.xgboost, (1.0 - median.xgboost / median.cpu) * 100.0, median.measurements);
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {:.0f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024.0);
  return 0;
}
