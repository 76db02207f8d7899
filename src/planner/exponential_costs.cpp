#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kareus/instruction_frontier.hpp"

namespace kareus::planner {
namespace {

/// A candidate in whole units of time.
struct Candidate {
  Seconds real_time;
  long units = 0;
  Joules cost;
};

std::vector<Candidate> undominated(const std::vector<Candidate>& candidates, double factor) {
  std::vector<Candidate> kept;
  for (const Candidate& own : candidates) {
    const bool beaten = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
      return other.real_time < own.real_time * factor && other.cost < own.cost * factor;
    });
    if (!beaten) kept.push_back(own);
  }
  return kept;
}

/// Effective energy by duration in units.
using Samples = std::map<long, double>;

Samples samples(const std::vector<ProfileOption>& options, Watts static_power, Seconds unit_time, double noise_factor) {
  std::vector<Candidate> candidates;
  for (const ProfileOption& option : options) {
    const double units = std::floor(option.time / unit_time);
    candidates.push_back({.real_time = option.time,
                          .units = static_cast<long>(units),
                          .cost = option.energy - static_power * (units * unit_time)});
  }
  std::vector<Candidate> kept = undominated(candidates, 1.0);
  if (kept.size() <= 3) kept = undominated(candidates, noise_factor);
  Samples result;
  for (const Candidate& candidate : kept) {
    const auto [entry, inserted] = result.emplace(candidate.units, candidate.cost.si());
    if (!inserted) entry->second = std::max(entry->second, candidate.cost.si());
  }
  return result;
}

/// a * exp(b * x) + c, x from 0 at the fastest duration to 1 at the slowest.
struct Exponential {
  double a = 0;
  double b = 0;
  double c = 0;
  double squares = std::numeric_limits<double>::infinity();

  double at(double x) const { return a * std::exp(b * x) + c; }
};

/// Least squares in `a` and `c` alone, which are linear.
Exponential fit_linear(const std::vector<double>& x, const std::vector<double>& y, double b) {
  const double count = static_cast<double>(x.size());
  double mean_e = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_e += std::exp(b * x[i]) / count;
    mean_y += y[i] / count;
  }
  double covariance = 0;
  double variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = std::exp(b * x[i]) - mean_e;
    covariance += e * (y[i] - mean_y);
    variance += e * e;
  }
  Exponential result{.a = covariance / variance, .b = b, .c = 0, .squares = 0};
  result.c = mean_y - result.a * mean_e;
  for (std::size_t i = 0; i < x.size(); ++i) result.squares += std::pow(result.at(x[i]) - y[i], 2);
  return result;
}

/// Variable projection (Golub and Pereyra 1973): only `b` is searched, first on a grid, then by golden section between
/// the neighbours of the best.
Exponential fit(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr int kGrid = 400;
  constexpr double kFlattest = 1e-3;  // over the whole range of durations
  constexpr double kSteepest = 200;
  const auto rate = [&](double step) {
    return -kFlattest * std::pow(kSteepest / kFlattest, std::clamp(step, 0.0, 1.0 * kGrid) / kGrid);
  };
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step <= kGrid; ++step) {
    const double squares = fit_linear(x, y, rate(step)).squares;
    if (squares < least) {
      least = squares;
      best = step;
    }
  }
  double low = best - 1.0;
  double high = best + 1.0;
  constexpr double kGolden = 0.6180339887498949;
  for (int i = 0; i < 100; ++i) {
    const double left = high - kGolden * (high - low);
    const double right = low + kGolden * (high - low);
    if (fit_linear(x, y, rate(left)).squares <= fit_linear(x, y, rate(right)).squares) {
      high = right;
    } else {
      low = left;
    }
  }
  return fit_linear(x, y, rate((low + high) / 2));
}

}  // namespace

Result<std::vector<pipeline::NodeOption>> exponential_costs(const std::vector<ProfileOption>& options,
                                                            Watts static_power, Seconds unit_time, double noise_factor,
                                                            const std::string& name) {
  constexpr double kMostUnits = 1e6;
  const auto longest =
      std::max_element(options.begin(), options.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  if (longest == options.end() || longest->time / unit_time > kMostUnits) {
    return fail(ErrorCode::bad_input, fmt::format("{}: durations of more than a million units of time", name), {},
                "choose a longer --unit-time");
  }
  const Samples measured = samples(options, static_power, unit_time, noise_factor);
  if (measured.size() < 3) {
    return fail(ErrorCode::bad_input,
                fmt::format("{}: {} durations of use, the exponential has three parameters", name, measured.size()), {},
                "measure more clocks, choose a shorter --unit-time, or use --cost-model hull");
  }
  const long first = measured.begin()->first;
  const long last = measured.rbegin()->first;
  if (first < 1) {
    return fail(ErrorCode::bad_input, fmt::format("{}: shorter than one unit of time", name), {},
                "choose a shorter --unit-time");
  }
  // Dimensionless in both directions, so that the units of the file change nothing.
  double scale = 0;
  for (const auto& [units, cost] : measured) scale = std::max(scale, std::abs(cost));
  const auto position = [&](long units) {
    return static_cast<double>(units - first) / static_cast<double>(last - first);
  };
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& [units, cost] : measured) {
    x.push_back(position(units));
    y.push_back(cost / scale);
  }
  const Exponential fitted = fit(x, y);
  // A rising exponent bends the other way: where it fits better than any falling one, the energies are concave.
  constexpr double kConcave = 0.1;
  const bool convex = fitted.squares <= fit_linear(x, y, kConcave).squares;
  if (!(fitted.a > 0) || !std::isfinite(fitted.squares) || !convex) {
    return fail(ErrorCode::bad_input, fmt::format("{}: energy does not fall convexly with time", name), {},
                "use --cost-model hull");
  }
  std::vector<pipeline::NodeOption> result;
  for (long units = first; units <= last; ++units) {
    result.push_back({.time = unit_time * static_cast<double>(units),
                      .effective_energy = Joules(fitted.at(position(units)) * scale)});
  }
  return result;
}

}  // namespace kareus::planner
