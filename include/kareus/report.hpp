#pragma once

#include <string>
#include <vector>

#include "kareus/device.hpp"
#include "kareus/quantity.hpp"
#include "kareus/schedule.hpp"

namespace kareus::report {

/// One measured configuration of a partition type.
struct PartitionPoint {
  Clock clock;
  schedule::PartitionConfig config;
  Seconds time;
  Joules energy;  ///< total
  Joules dynamic_energy;
  std::string found_by;                        ///< pass of the search
  bool on_frontier = false;                    ///< of time and total energy, or of time and dynamic energy
  std::vector<device::TraceInterval> trace{};  ///< what runs when, where the device can tell and it is to be shown
};

struct PartitionFrontier {
  std::string type;
  std::size_t space_size = 0;
  std::vector<std::string> kernels;  ///< names of what runs on the compute side, as traces count them
  std::vector<PartitionPoint> points;
};

/// Everything that the report shows. Its bytes are a function of this value.
struct ReportInput {
  std::string title;
  std::vector<std::pair<std::string, std::string>>
      facts;  ///< label and value lines at the top: model, device, cost of profiling …
  schedule::FrontierFile kareus;
  /// Megatron-LM (one point), Megatron-LM + Perseus, in this order; drawn beside.
  std::vector<schedule::FrontierFile> baselines;
  std::vector<PartitionFrontier> partitions;
};

/// One self-contained HTML page that needs no network: the iteration frontier with the baselines (hover shows the
/// schedule), the pipeline as a Gantt chart coloured by clock for the chosen point with the power of all GPUs,
/// partition frontiers with the pass that found each point, timelines of their kernels, and the numbers as tables.
/// Texts from outside are escaped.
std::string render_html(const ReportInput& input);

/// A method's frontier on a workload.
struct EvaluatedFrontier {
  std::string workload;
  std::string level;  ///< `blind` or `calibrated`
  std::string method;
  std::vector<schedule::FrontierPoint> points;  ///< fastest first; of these only times and energies are drawn
  schedule::FrontierFile pipelines{};           ///< points that are drawn as pipelines; may have none
};

struct ReportTable {
  std::string heading;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< as many cells as the header
};

/// Everything that the report of an evaluation shows. Its bytes are a function of this value.
struct EvaluationInput {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<EvaluatedFrontier> frontiers;
  std::vector<ReportTable> tables;
};

/// One self-contained HTML page that needs no network: for a chosen workload and level the frontiers of all methods, how
/// the energy of their fastest points splits, and a method's pipelines beside those of `megatron`; and the tables. Texts from outside are escaped.
std::string render_html(const EvaluationInput& input);

}  // namespace kareus::report
