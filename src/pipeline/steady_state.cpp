#include "kareus/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "pipeline/certificate.hpp"
#include "pipeline/fold.hpp"
#include "pipeline/parametric_flow.hpp"
#include "pipeline/slope_flow.hpp"

namespace kareus::pipeline {
namespace {

/// Pairs that every stage keeps before and after the fold of the first pipeline that is tried: what starts and ends an
/// iteration mostly takes about as many as there are stages.
constexpr int first_kept_pairs(int stages) {
  return stages + 8;
}

/// Slopes are rounded to so many steps where only a start for SlopeFlow is wanted: few enough to follow the whole
/// curve.
constexpr std::int64_t kCoarseSteps = 64;

/// Where to look for a corner, on the first rung.
struct Guess {
  FlowSnapshot solution;
  std::int64_t slope = 0;
};

/// A pipeline of which less is folded than of the one before; of the last nothing is.
struct Rung {
  std::optional<FoldedPipeline> folded;
  const PipelineEvents* events = nullptr;
  const HullSet* hulls = nullptr;
  std::unique_ptr<SlopeFlow> flow;  ///< made when first needed

  FlowSnapshot solve(const FlowSnapshot& guess, std::int64_t slope) {
    if (!flow) flow = std::make_unique<SlopeFlow>(events->graph, events->function_of, *hulls);
    return flow->solve(guess, slope);
  }
};

/// A corner of the curve: the optimum at a slope, as found on a rung.
struct Corner {
  std::size_t rung = 0;
  FlowSnapshot snapshot;  ///< of the rung
  FlowSnapshot start;     ///< of the first rung: between two of them other corners are sought
  std::int64_t slope = 0;
  std::int64_t time = 0;  ///< ticks
  Certificate certificate;
  /// The rung's flow that proves this corner and the next faster one, and so the line between them, once it is known.
  std::optional<std::vector<std::int64_t>> line;
  std::int64_t line_slope = 0;
};

/// A point of the curve: part of the way from a corner to the next faster one.
struct Place {
  std::size_t corner = 0;
  double part = 0;
};

std::int64_t iteration_ticks(const FlowSnapshot& solution, const EventGraph& graph) {
  return solution.times[graph.sink] - solution.times[graph.source];
}

/// Ticks, with every node at its fastest.
std::int64_t fastest_iteration(const PipelineEvents& pipeline, const HullSet& hulls) {
  std::vector<std::int64_t> durations(pipeline.dag.size());
  for (std::size_t node = 0; node < durations.size(); ++node) {
    durations[node] = hulls.functions[pipeline.function_of[node]].fastest();
  }
  return earliest_events(pipeline.graph, durations)[pipeline.graph.sink];
}

Result<void> check(const LongPipeline& pipeline, std::size_t points) {
  if (pipeline.stages < 1 || pipeline.microbatches < 1) {
    return fail(ErrorCode::bad_input, "a pipeline has at least one stage and one microbatch");
  }
  if (pipeline.functions.size() != 2 * static_cast<std::size_t>(pipeline.stages)) {
    return fail(ErrorCode::bad_input, fmt::format("{} functions for {} stages: two per stage are needed",
                                                  pipeline.functions.size(), pipeline.stages));
  }
  if (points < 2) return fail(ErrorCode::bad_input, "a curve has at least two points");
  return {};
}

/// Starts for points evenly spaced in time, slowest first, from the curve of nearly the same problem. The first is for
/// `least`, the last for a slope at which nothing is worth more time.
std::vector<Guess> follow_coarsely(const PipelineEvents& pipeline, const HullSet& hulls, std::int64_t least,
                                   std::size_t points) {
  const HullSet coarse = coarsened(hulls, kCoarseSteps);
  const std::int64_t end = fastest_iteration(pipeline, hulls);
  std::vector<Guess> guesses;
  ParametricFlow flow(pipeline.graph, pipeline.function_of, coarse);
  std::int64_t apart = 0;
  std::int64_t latest = 0;  // time of the next one: not much before its point, so that the solution is near it too
  for (bool can_speed_up = true; can_speed_up;) {
    can_speed_up = flow.saturate();
    if (guesses.empty() && (!can_speed_up || flow.flow_value() >= least)) {
      guesses.push_back({flow.snapshot(), least});
      apart = (flow.iteration_time() - end) / static_cast<std::int64_t>(points - 1);
      latest = flow.iteration_time() - apart + apart / 4;
    } else if (can_speed_up && flow.iteration_time() <= latest && guesses.size() + 1 < points) {
      guesses.push_back({flow.snapshot(), flow.flow_value()});
      while (apart > 0 && flow.iteration_time() <= latest) latest -= apart;
    }
    if (can_speed_up) flow.speed_up();
  }
  guesses.push_back({flow.snapshot(), std::max(flow.flow_value(), least)});
  return guesses;
}

/// The solution between two corners has much in common with both: times of one, and a mixture of their flows, which is
/// a flow of the slope.
Guess guess_between(const Corner& slow, const Corner& fast, std::int64_t slope) {
  const auto span = static_cast<double>(std::max<std::int64_t>(fast.slope - slow.slope, 1));
  const double part = std::clamp(static_cast<double>(slope - slow.slope) / span, 0.0, 1.0);
  Guess guess{.solution = part < 0.5 ? slow.start : fast.start, .slope = slope};
  for (std::size_t arc = 0; arc < guess.solution.flows.size(); ++arc) {
    const std::int64_t from = slow.start.flows[arc];
    guess.solution.flows[arc] = from + std::llround(part * static_cast<double>(fast.start.flows[arc] - from));
  }
  return guess;
}

}  // namespace

struct LongCurve::State {
  HullSet hulls;
  PipelineEvents whole;
  Precedences precedences;
  std::deque<Rung> rungs;       ///< they refer to themselves
  std::vector<Corner> corners;  ///< slowest first
  std::vector<Place> places;    ///< per point
  int solved_microbatches = 0;  ///< of the first rung

  void add_rung(std::optional<FoldedPipeline> folded) {
    Rung& rung = rungs.emplace_back();
    rung.folded = std::move(folded);
    rung.events = rung.folded ? &rung.folded->events : &whole;
    rung.hulls = rung.folded ? &rung.folded->hulls : &hulls;
  }
  std::optional<FlowSnapshot> on_whole(std::size_t rung, const FlowSnapshot& solution) const {
    return rungs[rung].folded ? unfold(*rungs[rung].folded, solution, whole) : solution;
  }
  /// A corner's times with the flow of the line that begins at corner `line`.
  FlowSnapshot on_line(std::size_t line, std::size_t corner) const {
    return {corners[corner].snapshot.times, *corners[line].line};
  }
  Certificate certify(const FlowSnapshot& claimed) const {
    return check_claim({.precedences = precedences,
                        .graph = whole.graph,
                        .function_of = whole.function_of,
                        .hulls = hulls,
                        .solution = claimed});
  }
  Corner corner_at(const Guess& guess);
  void find_ends(const Guess& slow, Guess fast);
  void add(Corner corner);
  std::size_t corner_before(std::int64_t time) const;
  bool prove_line(std::size_t corner, Corner& found);
  bool refine(std::size_t corner);
  void cover(std::int64_t time, std::int64_t tolerance);
  Place place_of(std::int64_t time) const;
  LongPoint point(const Place& place) const;
};

Corner LongCurve::State::corner_at(const Guess& guess) {
  Corner corner;
  corner.slope = guess.slope;
  corner.start = rungs.front().solve(guess.solution, guess.slope);
  corner.snapshot = corner.start;
  for (;;) {
    const Rung& rung = rungs[corner.rung];
    if (const std::optional<FlowSnapshot> claimed = on_whole(corner.rung, corner.snapshot)) {
      corner.certificate = certify(*claimed);
      corner.time = iteration_ticks(*claimed, whole.graph);
      if (corner.certificate.optimal() || !rung.folded) return corner;
    }
    Rung& next = rungs[++corner.rung];
    const FoldedPipeline* const next_fold = next.folded ? &*next.folded : nullptr;
    corner.snapshot = next.solve(carry_over(*rung.folded, corner.snapshot, *next.events, next_fold), guess.slope);
  }
}

/// The coarse curve ends at about the steepest slope of the curve: twice that is steep enough, or twice that.
void LongCurve::State::find_ends(const Guess& slow, Guess fast) {
  corners.push_back(corner_at(slow));
  const std::int64_t end = fastest_iteration(whole, hulls);
  for (bool is_end = false; !is_end;) {
    fast.slope = 2 * fast.slope + 1;
    Corner corner = corner_at(fast);
    is_end = corner.time <= end;
    if (is_end) add(std::move(corner));
  }
}

/// Unless the corner is known.
void LongCurve::State::add(Corner corner) {
  const auto at =
      std::find_if(corners.begin(), corners.end(), [&](const Corner& other) { return other.time <= corner.time; });
  if (at == corners.end() || at->time < corner.time) corners.insert(at, std::move(corner));
}

/// The last corner that is not faster, but not the fastest one if there are two.
std::size_t LongCurve::State::corner_before(std::int64_t time) const {
  std::size_t found = 0;
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    if (corners[i].time >= time) found = i;
  }
  return found;
}

/// Whether the flow found at the slope of the line from a corner to the next proves both, and so the line.
bool LongCurve::State::prove_line(std::size_t index, Corner& found) {
  const auto proves = [&](const Corner& corner) {
    if (corner.rung != found.rung) return false;
    const auto claimed = on_whole(found.rung, {corner.snapshot.times, found.snapshot.flows});
    // Unfolding may move to other times that the flow proves: they must be the corner's.
    return claimed && iteration_ticks(*claimed, whole.graph) == corner.time && certify(*claimed).optimal();
  };
  if (!proves(corners[index]) || !proves(corners[index + 1])) return false;
  corners[index].line = std::move(found.snapshot.flows);
  corners[index].line_slope = found.slope;
  return true;
}

/// Solves at the slope of the line from a corner to the next: the optimum there is a new corner below the line, or its
/// flow proves that there is none. False when neither comes out.
bool LongCurve::State::refine(std::size_t index) {
  const Corner& slow = corners[index];
  const Corner& fast = corners[index + 1];
  const double rise = fast.certificate.primal - slow.certificate.primal;
  const double run = hulls.grid.seconds(static_cast<double>(slow.time - fast.time)).si();
  const auto slope = std::llround(rise / run * hulls.grid.slope_units / hulls.grid.ticks_per_second);
  Corner found = corner_at(guess_between(slow, fast, slope));
  const double sooner = hulls.grid.seconds(static_cast<double>(slow.time - found.time)).si();
  const double below = slow.certificate.primal + sooner * rise / run - found.certificate.primal;
  const bool is_on_line = std::abs(below) <= 1e-12 * std::abs(found.certificate.primal);
  if (is_on_line && prove_line(index, found)) return true;
  if (found.time >= slow.time || found.time <= fast.time) return false;
  add(std::move(found));
  return true;
}

/// Finds corners, or a line between two, until a point of the curve is at most `tolerance` from a time.
void LongCurve::State::cover(std::int64_t time, std::int64_t tolerance) {
  for (;;) {
    const std::size_t index = corner_before(time);
    if (index + 1 == corners.size() || corners[index].line) return;
    if (std::abs(corners[index].time - time) <= tolerance) return;
    if (std::abs(corners[index + 1].time - time) <= tolerance || !refine(index)) return;
  }
}

/// The point of the known curve that is nearest to a time.
Place LongCurve::State::place_of(std::int64_t time) const {
  const std::size_t index = corner_before(time);
  if (index + 1 == corners.size()) return {index, 0};
  const Corner& slow = corners[index];
  const Corner& fast = corners[index + 1];
  if (slow.line) return {index, static_cast<double>(slow.time - time) / static_cast<double>(slow.time - fast.time)};
  return {slow.time - time <= time - fast.time ? index : index + 1, 0};
}

LongPoint LongCurve::State::point(const Place& place) const {
  const Corner& corner = corners[place.corner];
  LongPoint point{.time = hulls.grid.seconds(static_cast<double>(corner.time)),
                  .effective_energy = Joules(corner.certificate.primal),
                  .slope = hulls.grid.watts(corner.slope),
                  .certificate = corner.certificate,
                  .from_steady_state = rungs[corner.rung].folded.has_value()};
  if (place.part > 0) {
    const Corner& fast = corners[place.corner + 1];
    point.time += place.part * (hulls.grid.seconds(static_cast<double>(fast.time)) - point.time);
    point.effective_energy += place.part * (Joules(fast.certificate.primal) - point.effective_energy);
    point.slope = hulls.grid.watts(corner.line_slope);
    point.certificate = fast.certificate;
  } else if (place.corner + 1 == corners.size() && place.corner > 0 && corners[place.corner - 1].line) {
    point.slope = hulls.grid.watts(corners[place.corner - 1].line_slope);  // the least that is right for the end
  }
  return point;
}

Result<LongCurve> LongCurve::solve(const LongPipeline& pipeline, std::size_t points, const CurveOptions& options) {
  if (auto checked = check(pipeline, points); !checked) return tl::unexpected(std::move(checked).error());
  auto state = std::make_shared<State>();
  auto dag = build_dag(one_forward_one_backward(pipeline.stages, pipeline.microbatches), pipeline.fixed);
  if (!dag) return tl::unexpected(std::move(dag).error());
  auto hulls = make_hulls(pipeline.functions, *dag);
  if (!hulls) return tl::unexpected(std::move(hulls).error());
  state->hulls = std::move(*hulls);
  const Grid& grid = state->hulls.grid;
  state->precedences = precedences_of(*dag, grid);
  state->whole = pipeline_events(std::move(*dag), grid);
  for (int kept = first_kept_pairs(pipeline.stages);
       2 * kept_microbatches(pipeline.stages, kept) <= pipeline.microbatches; kept *= 2) {
    auto folded = fold(pipeline.stages, pipeline.microbatches, kept, pipeline.fixed, state->hulls);
    if (!folded) return tl::unexpected(std::move(folded).error());
    state->add_rung(std::move(*folded));
  }
  state->add_rung(std::nullopt);
  const auto& first = state->rungs.front().folded;
  state->solved_microbatches = pipeline.microbatches - (first ? first->folded : 0);

  // At no slope at all any longer time would do.
  const auto least = std::max<std::int64_t>(
      1, std::llround(options.least_slope.value_or(Watts(0)).si() * grid.slope_units / grid.ticks_per_second));
  const Rung& rung = state->rungs.front();
  const std::vector<Guess> guesses = follow_coarsely(*rung.events, *rung.hulls, least, points);
  state->find_ends(guesses.front(), guesses.back());
  for (std::size_t i = 1; i + 1 < guesses.size(); ++i) state->add(state->corner_at(guesses[i]));
  const std::int64_t slow = state->corners.front().time;
  const std::int64_t apart = (slow - state->corners.back().time) / static_cast<std::int64_t>(points - 1);
  const auto wanted = [&](std::size_t point) { return slow - static_cast<std::int64_t>(point) * apart; };
  for (std::size_t i = 1; i + 1 < points; ++i) state->cover(wanted(i), apart / 2);
  LongCurve curve;
  for (std::size_t i = 0; i < points; ++i) {
    const bool is_last = i + 1 == points;
    const Place place = is_last ? Place{state->corners.size() - 1, 0} : state->place_of(wanted(i));
    const LongPoint point = state->point(place);
    if (!curve.points_.empty() && point.time >= curve.points_.back().time) continue;
    curve.points_.push_back(point);
    state->places.push_back(place);
  }
  curve.state_ = std::move(state);
  return curve;
}

std::vector<Seconds> LongCurve::durations(std::size_t point) const {
  KAREUS_CHECK(point < points_.size());
  const State& state = *state_;
  const PipelineEvents& whole = state.whole;
  const auto [index, part] = state.places[point];
  // The times of both corners under the flow that proves them, so that both settle into the same steady state.
  const Corner& corner = state.corners[index];
  const FlowSnapshot slow = *state.on_whole(corner.rung, part > 0 ? state.on_line(index, index) : corner.snapshot);
  const FlowSnapshot fast = part > 0 ? *state.on_whole(corner.rung, state.on_line(index, index + 1)) : slow;
  std::vector<Seconds> result(whole.graph.node_count);
  for (std::size_t node = 0; node < whole.graph.node_count; ++node) {
    const auto [tail, head] = whole.graph.arcs[node];
    const auto from = static_cast<double>(slow.times[head] - slow.times[tail]);
    const auto to = static_cast<double>(fast.times[head] - fast.times[tail]);
    const auto limit = static_cast<double>(state.hulls.functions[whole.function_of[node]].slowest());
    result[node] = state.hulls.grid.seconds(std::min(from + part * (to - from), limit));
  }
  return result;
}

int LongCurve::solved_microbatches() const {
  return state_->solved_microbatches;
}

}  // namespace kareus::pipeline
