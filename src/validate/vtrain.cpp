// Measured iteration times of Megatron-style GPT training (VIA-Research/vTrain): sequential execution, GPT layers with
// a plain feed-forward network, unfused attention and recomputed forwards, data-parallel reduction after the last
// backward. The kernels are those of the device; what frameworks add is fitted to other model sizes than the one that
// is predicted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "calibrate/least_squares.hpp"
#include "device/sim/kernels.hpp"
#include "validate/checks.hpp"

namespace kareus::validate {
namespace {

constexpr const char* kLevel = "vtrain";
constexpr double kVocabulary = 51200.0;
constexpr double kHalf = 2.0;            ///< bytes of a half-precision number
constexpr double kBetweenNodes = 100.0;  ///< GB/s of a node with 4 x 200 Gbit/s

struct Row {
  double batch, microbatch, hidden, heads, layers, sequence, tensor, data, pipeline;
  double seconds;
  // Kernels whose cost follows from the device, of one layer and of the output layer, seconds.
  double forward_products, backward_products, head_products;

  double tokens() const { return microbatch * sequence; }
  std::pair<double, double> size() const { return {hidden, layers}; }
};

/// What is fitted, in the order of the unknowns.
struct Framework {
  double kernels;          ///< factor on all kernels
  double element_bytes;    ///< memory-bound traffic of a forward layer per token and hidden feature
  double score_bytes;      ///< traffic of unfused attention per score
  double launch_s;         ///< host time of a forward layer: kernels do not end sooner
  double tensor_gbs;       ///< bus bandwidth of tensor-parallel all-reduces
  double data_gbs;         ///< bus bandwidth of the gradient reduction
  double optimizer_bytes;  ///< traffic of the optimizer per parameter
  double iteration_s;      ///< once
};

std::vector<calibrate::Unknown> single_node_unknowns(const device::DeviceDescription& device) {
  const double bus = 0.85 * device.communication.bus_bandwidth.si() / 1e9;  // of NCCL, against MSCCL++
  return {{.start = 1.0, .low = 0.5, .high = 3.0, .trust = 0.15},
          {.start = 20.0, .low = 0.1, .high = 500.0, .trust = 1.0},
          {.start = 14.0, .low = 0.1, .high = 500.0, .trust = 1.0},
          {.start = 1e-3, .low = 1e-6, .high = 0.05, .trust = 1.0},
          {.start = bus, .low = 5.0, .high = 1000.0, .trust = 0.3},
          {.start = bus, .low = 1.0, .high = 1000.0, .trust = 0.5},
          {.start = 20.0, .low = 0.1, .high = 500.0, .trust = 1.0},
          {.start = 7e-3, .low = 1e-5, .high = 5.0, .trust = 1.0}};
}

/// Between nodes only the reduction and what happens once differ much from what single nodes tell.
std::vector<calibrate::Unknown> multi_node_unknowns(const std::vector<double>& single_node) {
  std::vector<calibrate::Unknown> unknowns;
  for (const double value : single_node) {
    unknowns.push_back({.start = value, .low = 0.05 * value, .high = 20.0 * value, .trust = 0.3});
  }
  unknowns[5] = {.start = kBetweenNodes, .low = 1.0, .high = 1000.0, .trust = 0.5};
  unknowns[7] = {.start = single_node[7], .low = 1e-5, .high = 5.0, .trust = 2.0};
  return unknowns;
}

Framework framework_of(const std::vector<double>& x) {
  return {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
}

double product(const device::DeviceDescription& device, double m, double n, double k) {
  workload::Operator op;
  op.kind = workload::OperatorKind::linear;
  op.products = {
      {.m = std::max(1L, std::lround(m)), .n = std::max(1L, std::lround(n)), .k = std::max(1L, std::lround(k))}};
  op.work = Flops(2.0 * m * n * k);
  op.traffic = Bytes(kHalf * (m * k + k * n + m * n));
  return device::sim::compute_cost(device, op, {.clock = device.supported.highest, .sms = device.sm_total}).seconds;
}

void add_products(const device::DeviceDescription& device, Row& row) {
  const double h = row.hidden;
  const double t = row.tokens();
  const std::pair<double, double> shapes[] = {
      {3.0 * h / row.tensor, h}, {h, h / row.tensor}, {4.0 * h / row.tensor, h}, {h, 4.0 * h / row.tensor}};
  row.forward_products = 0.0;
  row.backward_products = 0.0;
  for (const auto& [n, k] : shapes) {
    row.forward_products += product(device, t, n, k);
    row.backward_products += product(device, t, k, n) + product(device, n, k, t);
  }
  row.head_products = 3.0 * product(device, t, kVocabulary / row.tensor, h);
}

/// A kernel sequence and the host that launches it, whichever is slower.
double with_host(double kernels, double host) {
  return std::pow(std::pow(kernels, 4.0) + std::pow(host, 4.0), 0.25);
}

double predict(const device::DeviceDescription& device, const Row& row, const Framework& framework) {
  const double bandwidth = device.rates.memory.si() * device.memory.efficiency;
  const double rate = device.rates.compute.si() * device.compute.attention_forward_efficiency;
  const double t = row.tokens();
  const double scores = row.microbatch * row.sequence * row.sequence * row.heads / row.tensor;
  const double score_work = 4.0 * scores * row.hidden / row.heads;
  const double elements =
      t * row.hidden * framework.element_bytes * 0.5 * (1.0 + 1.0 / row.tensor) / bandwidth;  // half is not split
  const double softmax = scores * framework.score_bytes / bandwidth;
  const double node = device.gpus_per_node;
  const double gbs = (row.tensor > node ? framework.data_gbs : framework.tensor_gbs) * 1e9;
  const double all_reduce = row.tensor > 1.0 ? 2.0 * (row.tensor - 1.0) / row.tensor * t * row.hidden * kHalf / gbs +
                                                   device.communication.latency.si()
                                             : 0.0;
  const double forward = with_host(framework.kernels * (row.forward_products + score_work / rate + softmax + elements),
                                   framework.launch_s) +
                         2.0 * all_reduce;
  const double backward =
      with_host(framework.kernels * (row.backward_products + 2.0 * score_work / rate + 1.5 * softmax + 1.5 * elements),
                1.3 * framework.launch_s) +
      2.0 * all_reduce;
  const double stage = row.layers / row.pipeline * (2.0 * forward + backward);
  const double head = framework.kernels * (row.head_products + t * kVocabulary / row.tensor * 8.0 * kHalf / bandwidth);
  const double microbatches = row.batch / row.microbatch / row.data;
  const double parameters =
      (12.0 * row.hidden * row.hidden * row.layers / row.pipeline + kVocabulary * row.hidden) / row.tensor;
  // GPUs of a node that reduce different parameters share the links between nodes.
  const double sharing = row.tensor * row.data * row.pipeline > node ? std::min(row.tensor, node) : 1.0;
  const double reduction =
      row.data > 1.0 ? 2.0 * (row.data - 1.0) / row.data * parameters * kHalf * sharing / (framework.data_gbs * 1e9)
                     : 0.0;
  return microbatches * (stage + head) + (row.pipeline - 1.0) * stage + reduction +
         parameters * framework.optimizer_bytes / bandwidth + framework.iteration_s;
}

Result<std::vector<Row>> read_rows(const std::filesystem::path& path, const device::DeviceDescription& device) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(std::move(text).error());
  auto csv = parse_csv(*text, path.string());
  if (!csv) return tl::unexpected(std::move(csv).error());
  const char* kNames[] = {
      "global batch",    "micro batch",        "hidden size",      "attention heads",      "# layers",
      "sequence length", "tensor parallelism", "data parallelism", "pipeline parallelism", "iteration time (ms)"};
  std::vector<std::size_t> at;
  for (const char* name : kNames) {
    const auto found = std::find(csv->header.begin(), csv->header.end(), name);
    if (found == csv->header.end()) return fail(ErrorCode::bad_input, fmt::format("no column '{}'", name), csv->name);
    at.push_back(static_cast<std::size_t>(found - csv->header.begin()));
  }
  std::vector<Row> rows;
  for (const auto& cells : csv->rows) {
    std::vector<double> x;
    for (const std::size_t column : at) {
      const auto value = parse_number(cells[column].text);
      if (!value || *value <= 0.0)
        return fail(ErrorCode::bad_input, "not a positive number", csv->where(cells[column]));
      x.push_back(*value);
    }
    Row row{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9] * 1e-3, 0.0, 0.0, 0.0};
    add_products(device, row);
    rows.push_back(row);
  }
  return rows;
}

using Size = std::pair<double, double>;

/// Fits the rows of other sizes than `left_out`.
std::vector<double> fit_others(const device::DeviceDescription& device, const std::vector<Row>& rows,
                               const std::vector<calibrate::Unknown>& unknowns, std::optional<Size> left_out) {
  const auto residuals = [&](const std::vector<double>& x) {
    std::vector<double> all;
    for (const Row& row : rows) {
      if (row.size() == left_out) continue;
      // Square roots of large errors: a few odd rows must not decide.
      const double error = predict(device, row, framework_of(x)) / row.seconds - 1.0;
      const double softened = std::abs(error) > 0.1 ? std::sqrt(0.1 * std::abs(error)) : std::abs(error);
      all.push_back(std::copysign(softened, error));
    }
    return all;
  };
  return calibrate::least_squares(unknowns, residuals, 0.05).values;
}

/// Relative errors of all rows, each predicted from the rows of other model sizes.
std::vector<double> cross_validate(const device::DeviceDescription& device, const std::vector<Row>& rows,
                                   const std::vector<calibrate::Unknown>& unknowns) {
  std::set<Size> sizes;
  for (const Row& row : rows) sizes.insert(row.size());
  std::vector<double> errors;
  for (const Size& size : sizes) {
    const Framework framework = framework_of(fit_others(device, rows, unknowns, size));
    for (const Row& row : rows) {
      if (row.size() == size) errors.push_back(predict(device, row, framework) / row.seconds - 1.0);
    }
  }
  return errors;
}

void add_cross_validation(const std::vector<double>& errors, const char* which, double published, double tolerance,
                          std::vector<Check>& checks) {
  const std::string name = fmt::format("{} {} runs by model size", errors.size(), which);
  add_errors(checks, kLevel, name, errors, tolerance, std::nullopt);
  add_points(checks, kLevel, name + ", against the published simulator", published, (checks.end() - 2)->error * 100.0,
             std::nullopt);
}

}  // namespace

Result<void> check_vtrain(const device::DeviceDescription& device, const Sources& sources, std::vector<Check>& checks) {
  const auto single = read_rows(sources.data / "vtrain" / "single-node.csv", device);
  if (!single) return tl::unexpected(single.error());
  const auto multi = read_rows(sources.data / "vtrain" / "multi-node.csv", device);
  if (!multi) return tl::unexpected(multi.error());
  const auto unknowns = single_node_unknowns(device);
  add_cross_validation(cross_validate(device, *single, unknowns), "single-node", 8.37, 0.07, checks);
  const auto between = multi_node_unknowns(fit_others(device, *single, unknowns, std::nullopt));
  add_cross_validation(cross_validate(device, *multi, between), "multi-node", 14.73, 0.12, checks);
  return {};
}

}  // namespace kareus::validate
