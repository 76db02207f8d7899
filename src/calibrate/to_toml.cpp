#include <fmt/format.h>

#include "base/text.hpp"
#include "kareus/calibrate.hpp"

namespace kareus::calibrate {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string number(double value) {
  return fmt::format("{}", value);
}

std::string grants(const device::DeviceDescription& device) {
  std::string text;
  for (const device::SmGrant& grant : device.sm_grants) {
    const int first = grant.counts.front().value;
    const int last = grant.counts.back().value;
    const int step = grant.counts.size() > 1 ? grant.counts[1].value - first : 1;
    text += fmt::format("\n[[sm_grants]]\nmax_ranks = {}\nfirst = {}\nlast = {}\nstep = {}\n", grant.max_ranks, first,
                        last, step);
  }
  return text;
}

std::string entry(const device::Constant& constant) {
  const std::string range = constant.range ? fmt::format(", low = {}, high = {}", number(constant.range->first),
                                                         number(constant.range->second))
                                           : std::string();
  return fmt::format("{} = {{ value = {}{}, grade = {}, source = {} }}\n",
                     constant.name.substr(constant.name.find('.') + 1), number(constant.value), range,
                     quoted(to_string(constant.grade)), quoted(constant.source));
}

std::string as_comment(const std::string& text) {
  std::string result = "# ";
  for (const char c : text) result += c == '\n' ? std::string("\n# ") : std::string(1, c);
  return result + "\n\n";
}

}  // namespace

std::string to_toml(const device::DeviceDescription& device, const std::string& comment) {
  std::string text = comment.empty() ? std::string() : as_comment(comment);
  text += fmt::format("name = {}\n", quoted(device.name));
  if (device.low_confidence) text += "low_confidence = true\n";
  text += grants(device);
  std::string section;
  for (const device::Constant& constant : device.constants) {
    const std::string its = constant.name.substr(0, constant.name.find('.'));
    if (its != section) {
      text += fmt::format("\n[{}]\n", its);
      section = its;
    }
    text += entry(constant);
  }
  return text;
}

}  // namespace kareus::calibrate
