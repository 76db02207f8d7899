#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "kareus/schedule.hpp"

namespace kareus::schedule {
namespace {

/// The value with six significant digits, rounded up, so that a request for what a message names is served.
double round_up(double value) {
  if (value <= 0.0) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 5.0);
  double rounded = std::ceil(value / unit) * unit;
  // The product may fall a little short of the value; the next unit does not.
  if (rounded < value) rounded += unit;
  return rounded;
}

std::string digits(double value) {
  std::string text = fmt::format("{:.6g}", round_up(value));
  // Printing rounds to the nearest, which may be below.
  if (std::stod(text) < value) text = fmt::format("{}", value);
  return text;
}

template <class Better>
std::size_t best_point(const FrontierFile& frontier, Better better) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < frontier.points.size(); ++i) {
    if (better(frontier.points[i], frontier.points[best])) best = i;
  }
  return best;
}

bool faster(const FrontierPoint& a, const FrontierPoint& b) {
  return a.time != b.time ? a.time < b.time : a.energy < b.energy;
}

bool cheaper(const FrontierPoint& a, const FrontierPoint& b) {
  return a.energy != b.energy ? a.energy < b.energy : a.time < b.time;
}

/// Best of the points that satisfy `allowed`, if there is one.
template <class Allowed, class Better>
std::optional<std::size_t> best_allowed(const FrontierFile& frontier, Allowed allowed, Better better) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierPoint& point = frontier.points[i];
    if (allowed(point) && (!best || better(point, frontier.points[*best]))) best = i;
  }
  return best;
}

Result<std::size_t> serve(const FrontierFile& frontier, const Deadline& request) {
  if (!std::isfinite(request.time.si())) return fail(ErrorCode::usage, "the deadline must be a finite time");
  const auto in_time = [&](const FrontierPoint& point) { return point.time <= request.time; };
  if (const auto best = best_allowed(frontier, in_time, cheaper)) return *best;
  const double fastest = frontier.points[best_point(frontier, faster)].time.si();
  return fail(ErrorCode::infeasible,
              fmt::format("no plan finishes an iteration in {:.6g} s; the fastest takes {} s", request.time.si(),
                          digits(fastest)),
              "", fmt::format("ask for a deadline of at least {} s, or for the greatest throughput", digits(fastest)));
}

Result<std::size_t> serve(const FrontierFile& frontier, const EnergyBudget& request) {
  if (!std::isfinite(request.energy.si())) return fail(ErrorCode::usage, "the energy budget must be a finite energy");
  const auto affordable = [&](const FrontierPoint& point) {
    return job_energy(frontier, point.energy) <= request.energy;
  };
  if (const auto best = best_allowed(frontier, affordable, faster)) return *best;
  const double cheapest = job_energy(frontier, frontier.points[best_point(frontier, cheaper)].energy).si();
  return fail(ErrorCode::infeasible,
              fmt::format("no plan spends at most {:.6g} J on an iteration of all GPUs; the cheapest spends {} J",
                          request.energy.si(), digits(cheapest)),
              "", fmt::format("ask for a budget of at least {} J, or for the least energy", digits(cheapest)));
}

Result<std::size_t> serve(const FrontierFile& frontier, const MaxThroughput&) {
  return best_point(frontier, faster);
}

Result<std::size_t> serve(const FrontierFile& frontier, const MinEnergy&) {
  return best_point(frontier, cheaper);
}

}  // namespace

Result<std::size_t> select(const FrontierFile& frontier, const Request& request) {
  if (frontier.points.empty()) {
    return fail(ErrorCode::infeasible, "the frontier has no plan", "", "plan the workload again");
  }
  return std::visit([&](const auto& wanted) { return serve(frontier, wanted); }, request);
}

}  // namespace kareus::schedule
