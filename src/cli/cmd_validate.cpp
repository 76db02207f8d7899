#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/device_choice.hpp"
#include "cli/output.hpp"
#include "cli/root_folder.hpp"
#include "kareus/validate.hpp"

namespace kareus::cli {
namespace {

struct Arguments {
  std::string device;
  std::vector<std::filesystem::path> folders;
  std::string data;
  bool all = false;
  bool json = false;
  bool markdown = false;
};

constexpr int kOut = 4;  ///< a check that is out is a request that cannot be served

std::string number(const std::optional<double>& value, const std::string& unit) {
  return value ? fmt::format("{:.4g} {}", *value, unit) : std::string("-");
}

std::string error_text(const validate::Check& check, double value) {
  if (check.unit == "%") return fmt::format("{:+.2f} points", value);
  if (check.unit == "SMs") return fmt::format("{:.0f} SMs", value);
  return fmt::format("{:+.2f}%", value * 100.0);
}

std::vector<std::string> cells(const validate::Check& check) {
  const bool statement = check.unit.empty() && check.tolerance == 0.0;
  const std::string tolerance = statement || !check.tolerance ? "-" : error_text(check, *check.tolerance).substr(1);
  const std::string limit = check.unit == "SMs" && check.tolerance ? error_text(check, *check.tolerance) : tolerance;
  return {check.level,
          check.name,
          number(check.published, check.unit),
          number(check.ours, check.unit),
          statement ? (check.passed ? "holds" : "does not hold") : error_text(check, check.error),
          limit,
          check.tolerance ? (check.passed ? "ok" : "FAIL") : "reported"};
}

const std::vector<std::string> kHeader{"level", "check", "published", "ours", "error", "tolerance", "result"};

std::string summary(const std::vector<validate::Check>& checks) {
  const auto bounded =
      std::count_if(checks.begin(), checks.end(), [](const auto& c) { return c.tolerance.has_value(); });
  const auto failed = std::count_if(checks.begin(), checks.end(), [](const auto& c) { return !c.passed; });
  return fmt::format("{} checks with a tolerance, {} out of it; {} reported without one\n", bounded, failed,
                     checks.size() - static_cast<std::size_t>(bounded));
}

std::string text_of(const std::vector<validate::Check>& checks, bool all) {
  std::vector<std::vector<std::string>> rows;
  for (const validate::Check& check : checks) {
    if (all || check.tolerance) rows.push_back(cells(check));
  }
  return text_table(kHeader, rows) + summary(checks);
}

std::string markdown_of(const std::vector<validate::Check>& checks) {
  std::string text;
  std::string level;
  for (const validate::Check& check : checks) {
    if (check.level != level) {
      level = check.level;
      text += fmt::format(
          "\n## {}{}\n\n| check | published | ours | error | tolerance | result |\n|---|---|---|---|---|---|\n",
          static_cast<char>(std::toupper(level.front())), level.substr(1));
    }
    const auto row = cells(check);
    text += "|";
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format(" {} |", row[i]);
    text += "\n";
  }
  return "\n" + summary(checks) + text;
}

std::string json_of(const std::string& device, const std::vector<validate::Check>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto optional = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  for (const validate::Check& check : checks) {
    list.push_back({{"level", check.level},
                    {"check", check.name},
                    {"unit", check.unit},
                    {"published", optional(check.published)},
                    {"ours", optional(check.ours)},
                    {"error", check.error},
                    {"tolerance", optional(check.tolerance)},
                    {"passed", check.passed}});
  }
  const nlohmann::ordered_json json{{"device", device}, {"passed", validate::passed(checks)}, {"checks", list}};
  return json.dump(2) + "\n";
}

int run(const Arguments& arguments) {
  auto device = choose_description(arguments.device, arguments.folders);
  if (!device) return print_error(device.error());
  const auto root = root_folder(arguments.data);
  if (!root) return print_error(root.error());
  auto checks = validate::validate(
      *device, {.data = *root / "data", .devices = *root / "devices", .workloads = *root / "workloads"});
  if (!checks) return print_error(checks.error());
  const std::string text = arguments.json       ? json_of(device->name, *checks)
                           : arguments.markdown ? markdown_of(*checks)
                                                : text_of(*checks, arguments.all);
  if (const int code = print_result(text); code != 0) return code;
  return validate::passed(*checks) ? 0 : kOut;
}

}  // namespace

void add_validate(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("validate", "Compare a device description with what others measured");
  command->footer(
      "Example: kareus validate a100-sxm4-40gb\n"
      "Prints every check with a tolerance; exit code 4 when one is out of it.");
  command->add_option("device", arguments->device, "Name of a known device, or a description (TOML)")->required();
  command->add_option("--devices", arguments->folders, "Folder with device descriptions (repeatable)");
  command->add_option("--data", arguments->data, "Folder that holds data/, devices/ and workloads/");
  command->add_flag("--all", arguments->all, "Print what has no tolerance too");
  command->add_flag("--json", arguments->json, "Print the checks as JSON");
  command->add_flag("--markdown", arguments->markdown, "Print the checks as Markdown tables");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace kareus::cli
