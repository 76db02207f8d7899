#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/device_choice.hpp"
#include "cli/output.hpp"
#include "kareus/calibrate.hpp"
#include "kareus/evaluate.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string device;
  std::vector<std::filesystem::path> folders;
  std::string data;
  std::string end_to_end;
  std::string output;
  bool json = false;
};

Result<calibrate::Calibration> calibration_of(const Arguments& arguments) {
  auto device = choose_description(arguments.device, arguments.folders);
  if (!device) return tl::unexpected(std::move(device).error());
  calibrate::Calibration result{.device = std::move(*device), .values = {}, .errors = {}};
  if (!arguments.data.empty()) {
    auto data = calibrate::read_data(arguments.data);
    if (!data) return tl::unexpected(std::move(data).error());
    auto fitted = calibrate::calibrate(result.device, *data);
    if (!fitted) return tl::unexpected(std::move(fitted).error());
    result = std::move(*fitted);
  }
  if (!arguments.end_to_end.empty()) {
    auto measured = evaluate::read_end_to_end(arguments.end_to_end);
    if (!measured) return tl::unexpected(std::move(measured).error());
    auto learned = evaluate::learn_in_situ(result.device, *measured);
    if (!learned) return tl::unexpected(std::move(learned).error());
    for (const device::Constant& constant : *learned) {
      const auto known = std::find_if(result.device.constants.begin(), result.device.constants.end(),
                                      [&](const device::Constant& other) { return other.name == constant.name; });
      result.values.push_back({.name = constant.name,
                               .before = known == result.device.constants.end() ? 0.0 : known->value,
                               .value = constant.value,
                               .low = constant.range->first,
                               .high = constant.range->second});
    }
    auto changed = calibrate::with_constants(result.device, *learned);
    if (!changed) return tl::unexpected(std::move(changed).error());
    result.device = std::move(*changed);
  }
  return result;
}

std::string confidence(const calibrate::FittedValue& value) {
  return fmt::format("{:.1f}%", 50.0 * (value.high - value.low) / value.value);
}

std::string text_of(const calibrate::Calibration& result) {
  std::vector<std::vector<std::string>> rows;
  for (const calibrate::FittedValue& value : result.values) {
    rows.push_back({value.name, fmt::format("{:.4g}", value.before), fmt::format("{:.4g}", value.value),
                    fmt::format("{:.3g}", value.low), fmt::format("{:.3g}", value.high), confidence(value)});
  }
  const std::vector<std::string> values{"value", "start", "fitted", "low", "high", "+-"};
  std::string text = text_table(values, rows);
  rows.clear();
  for (const calibrate::TableError& error : result.errors) {
    rows.push_back({error.table, error.quantity, error.held_out ? "held out" : "fitted", std::to_string(error.rows),
                    fmt::format("{:.2f}%", error.mean * 100.0), fmt::format("{:.2f}%", error.largest * 100.0)});
  }
  const std::vector<std::string> errors{"table", "quantity", "rows", "count", "mean error", "largest"};
  if (!rows.empty()) text += "\n" + text_table(errors, rows);
  return text;
}

std::string json_of(const calibrate::Calibration& result) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const calibrate::FittedValue& value : result.values) {
    values.push_back({{"name", value.name},
                      {"start", value.before},
                      {"value", value.value},
                      {"low", value.low},
                      {"high", value.high}});
  }
  nlohmann::ordered_json errors = nlohmann::ordered_json::array();
  for (const calibrate::TableError& error : result.errors) {
    errors.push_back({{"table", error.table},
                      {"quantity", error.quantity},
                      {"held_out", error.held_out},
                      {"rows", error.rows},
                      {"mean_error", error.mean},
                      {"largest_error", error.largest}});
  }
  const nlohmann::ordered_json json{{"device", result.device.name}, {"values", values}, {"errors", errors}};
  return json.dump(2) + "\n";
}

int run(const Arguments& arguments) {
  if (arguments.data.empty() && arguments.end_to_end.empty()) {
    return print_error(
        Error{ErrorCode::usage, {{"", "nothing to calibrate to", "give --data DIR, --end-to-end FILE or both"}}});
  }
  auto result = calibration_of(arguments);
  if (!result) return print_error(result.error());
  if (!arguments.output.empty()) {
    const std::string comment = fmt::format(
        "{}, made by `kareus calibrate`. Every value carries how well it is known (measured, fitted, scaled or "
        "assumed),\n"
        "from what, and where it matters most the range that it lies in. Formulas: "
        "include/kareus/device_description.hpp.",
        result->device.name);
    const std::string toml = calibrate::to_toml(result->device, comment);
    if (auto written = write_file_atomically(arguments.output, toml); !written) return print_error(written.error());
  }
  return print_result(arguments.json ? json_of(*result) : text_of(*result));
}

}  // namespace

void add_calibrate(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("calibrate", "Fit a device description to measurements");
  command->footer(
      "Example: kareus calibrate my-a100.toml --data measurements/ --end-to-end run.toml -o devices/my-a100.toml\n"
      "docs/formats.md says what the files hold. A third of every table is held out of the fit and reported apart.");
  command->add_option("device", arguments->device, "Description to start from: a file, or the name of a known device")
      ->required();
  command->add_option("--data", arguments->data, "Folder with calibration.toml and its tables");
  command->add_option("--end-to-end", arguments->end_to_end,
                      "One training configuration as it ran: what execution costs in situ (TOML)");
  command->add_option("-o,--output", arguments->output, "Write the description (TOML) to this file");
  command->add_option("--devices", arguments->folders, "Folder with device descriptions (repeatable)");
  command->add_flag("--json", arguments->json, "Print values and errors as JSON");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
