#include <fmt/format.h>

#include <cmath>

#include "evaluate/find.hpp"
#include "evaluate/published.hpp"

namespace kareus::evaluate {
namespace {

constexpr double kAgrees = 3.0;  // points

/// What is known to make published figures and ours differ, whatever the value.
enum class Cause { none, learned_from, scaled_plans, no_in_situ, secondary };

std::string note_of(double difference, Cause cause) {
  if (std::abs(difference) <= kAgrees) return "agrees within 3 points";
  switch (cause) {
    case Cause::none:
      return "unexplained";
    case Cause::learned_from:
      return "unexplained (the in-situ costs were learned from plans of this workload, not from this run)";
    case Cause::scaled_plans:
      return "published Kareus plans carry a factor of 1.144 on time and energy, their baselines none";
    case Cause::no_in_situ:
      return "blind plans leave out what execution in situ costs";
    case Cause::secondary:
      return "unexplained; the published value is from a secondary source";
  }
  KAREUS_CHECK(false);
}

class Comparer {
 public:
  Comparer(const Evaluation& evaluation, bool calibrated) : evaluation_(evaluation), calibrated_(calibrated) {}

  void measured_run() {
    const WorkloadResults* workload = find(kMeasuredWorkload);
    if (workload == nullptr) return;
    for (const MeasuredReductions& row : kMeasured) {
      const Cause cause = calibrated_ ? Cause::learned_from : Cause::no_in_situ;
      for (const std::string& recipe : recipes_of(row.method)) {
        const auto add_row = [&](const char* measure, std::optional<double> published, std::optional<double> ours) {
          if (published && ours) add("measured run", kMeasuredWorkload, recipe, measure, *published, *ours, cause);
        };
        const Points* ours = find_points(*workload, recipe, calibrated_);
        const Points* megatron = find_points(*workload, "megatron", calibrated_);
        const Points* perseus = find_points(*workload, "megatron-perseus", calibrated_);
        if (ours == nullptr || megatron == nullptr || perseus == nullptr) continue;
        add_row("time reduction", row.time, time_reduction(*ours, *megatron));
        add_row("energy reduction", row.energy, energy_reduction(*ours, *megatron));
        add_row("energy reduction at equal time", row.iso_time, iso_time_energy(*ours, *perseus));
        add_row("time reduction at equal energy", row.iso_energy, iso_energy_time(*ours, *perseus));
      }
    }
  }

  /// Published plans have no Megatron-LM; its time is that of Megatron-LM + Perseus at the fast end.
  void plans(const PublishedPlans& plans) {
    for (const auto& [name, theirs] : plans) {
      const auto& [workload_name, method] = name;
      const WorkloadResults* workload = find(workload_name);
      const auto base = plans.find({workload_name, "megatron-perseus"});
      if (workload == nullptr || base == plans.end() || method == "megatron-perseus") continue;
      const bool is_kareus = method == to_string(Method::kareus);
      for (const std::string& recipe : is_kareus ? recipes_of(Method::kareus) : std::vector<std::string>{method}) {
        const Points* ours = find_points(*workload, recipe, calibrated_);
        const Points* perseus = find_points(*workload, "megatron-perseus", calibrated_);
        if (ours == nullptr || perseus == nullptr) continue;
        const Cause cause = !calibrated_ ? Cause::no_in_situ : is_kareus ? Cause::scaled_plans : Cause::none;
        const auto add_row = [&](const char* measure, std::optional<double> published, std::optional<double> mine) {
          if (published && mine) add("planned frontier", workload_name, recipe, measure, *published, *mine, cause);
        };
        add_row("time reduction against M+P", time_reduction(theirs, base->second), time_reduction(*ours, *perseus));
        add_row("energy reduction at equal time", iso_time_energy(theirs, base->second),
                iso_time_energy(*ours, *perseus));
        add_row("time reduction at equal energy", iso_energy_time(theirs, base->second),
                iso_energy_time(*ours, *perseus));
      }
    }
  }

  /// The greatest of the testbed's reductions, and those that are reported of the emulation.
  void headlines(const std::vector<Row>& all) {
    for (const std::string& recipe : recipes_of(Method::kareus)) {
      const auto greatest = [&](bool emulated, auto member) {
        std::optional<double> best;
        for (const Row& row : all) {
          const WorkloadResults* workload = find(row.workload);
          if (row.recipe != recipe || row.calibrated != calibrated_) continue;
          if ((workload->workload.parallelism.pipeline > 2) != emulated) continue;
          if (row.*member && (!best || *(row.*member) > *best)) best = row.*member;
        }
        return best;
      };
      const auto add_row = [&](const char* what, const char* measure, double published, std::optional<double> ours,
                               Cause cause) {
        if (ours) add(what, "greatest of all", recipe, measure, published, *ours, cause);
      };
      const Cause cause = calibrated_ ? Cause::none : Cause::no_in_situ;
      const char* testbed = "headline, testbed";
      add_row(testbed, "time reduction", 14.9, greatest(false, &Row::time_reduction), cause);
      add_row(testbed, "energy reduction", 22.1, greatest(false, &Row::energy_reduction), cause);
      add_row(testbed, "energy reduction at equal time", 28.3, greatest(false, &Row::iso_time_energy), cause);
      add_row(testbed, "time reduction at equal energy", 27.5, greatest(false, &Row::iso_energy_time), cause);
      const char* emulation = "headline, emulation";
      add_row(emulation, "time reduction", 9.3, greatest(true, &Row::time_reduction), Cause::secondary);
      add_row(emulation, "energy reduction at equal time", 15.3, greatest(true, &Row::iso_time_energy),
              Cause::secondary);
    }
  }

  std::vector<PublishedRow> take() { return std::move(rows_); }

 private:
  std::vector<std::string> recipes_of(Method method) const {
    if (method != Method::kareus) return {to_string(method)};
    return {"kareus-published", "kareus"};
  }

  const WorkloadResults* find(const std::string& name) const {
    for (const WorkloadResults& one : evaluation_.workloads) {
      if (one.workload.name == name) return &one;
    }
    return nullptr;
  }

  void add(const char* what, const std::string& workload, const std::string& recipe, const char* measure,
           double published, double ours, Cause cause) {
    rows_.push_back({.what = what,
                     .workload = workload,
                     .calibrated = calibrated_,
                     .recipe = recipe,
                     .measure = measure,
                     .published = published,
                     .ours = ours,
                     .note = note_of(ours - published, cause)});
  }

  const Evaluation& evaluation_;
  bool calibrated_;
  std::vector<PublishedRow> rows_;
};

}  // namespace

Result<std::vector<PublishedRow>> published_rows(const Evaluation& evaluation,
                                                 const std::filesystem::path& published_plans) {
  auto plans = read_published_plans(published_plans);
  if (!plans) return tl::unexpected(std::move(plans).error());
  const std::vector<Row> measures = rows(evaluation);
  std::vector<PublishedRow> all;
  for (const bool calibrated : {false, true}) {
    Comparer comparer(evaluation, calibrated);
    comparer.headlines(measures);
    comparer.measured_run();
    comparer.plans(*plans);
    for (PublishedRow& row : comparer.take()) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace kareus::evaluate
