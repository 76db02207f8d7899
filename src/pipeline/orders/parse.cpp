#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/config.hpp"
#include "base/text.hpp"
#include "kareus/pipeline.hpp"

namespace kareus::pipeline {
namespace {

/// A file with more mistakes than this is of another kind; the rest is only counted.
constexpr std::size_t kMaximumProblems = 100;

std::optional<OperationKind> kind_of(char letter) {
  switch (letter) {
    case 'F':
      return OperationKind::forward;
    case 'B':
      return OperationKind::backward;
    case 'I':
      return OperationKind::input_gradient;
    case 'W':
      return OperationKind::weight_gradient;
    case 'R':
      return OperationKind::recompute;
    default:  // not an enum: any other letter
      return std::nullopt;
  }
}

/// Takes a number off the front of the text; digits only, no sign.
std::optional<int> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<Operation> parse_operation(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto kind = kind_of(text.front());
  text.remove_prefix(1);
  const auto microbatch = take_number(text);
  if (!kind || !microbatch) return std::nullopt;
  Operation operation{.kind = *kind, .microbatch = *microbatch, .chunk = 0};
  if (text.empty()) return operation;
  if (text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  const auto chunk = take_number(text);
  if (!chunk || !text.empty()) return std::nullopt;
  operation.chunk = *chunk;
  return operation;
}

class OrderReader {
 public:
  explicit OrderReader(std::string name) : name_(std::move(name)) {}

  Result<Order> read(const ConfigValue& root) {
    const auto& table = std::get<ConfigValue::Table>(root.data);
    const std::vector<std::string> known{"stages"};
    for (const auto& [key, value] : table) {
      if (key != known.front()) report("/" + key, "unknown key", suggestion(key, known));
    }
    const auto stages = table.find(known.front());
    if (stages == table.end()) {
      report("", "'stages' is missing");
    } else {
      read_stages(stages->second);
    }
    if (left_out_ > 0) problems_.push_back({name_, fmt::format("{} more problems like these", left_out_), {}});
    if (!problems_.empty()) return tl::unexpected(Error{ErrorCode::bad_input, std::move(problems_)});
    return std::move(order_);
  }

 private:
  void read_stages(const ConfigValue& value) {
    const auto* stages = std::get_if<ConfigValue::Array>(&value.data);
    if (stages == nullptr || stages->empty()) {
      report("/stages", "must be a list with the operations of every stage");
      return;
    }
    for (std::size_t s = 0; s < stages->size(); ++s) {
      order_.emplace_back();
      const auto* operations = std::get_if<ConfigValue::Array>(&(*stages)[s].data);
      if (operations == nullptr || operations->empty()) {
        report(fmt::format("/stages/{}", s), "must be a list of operations, at least one");
        continue;
      }
      order_.back().reserve(operations->size());
      for (std::size_t i = 0; i < operations->size(); ++i) read_operation(s, i, (*operations)[i]);
    }
  }

  void read_operation(std::size_t stage, std::size_t position, const ConfigValue& value) {
    const auto* text = std::get_if<std::string>(&value.data);
    if (const auto operation = text == nullptr ? std::nullopt : parse_operation(*text)) {
      order_.back().push_back(*operation);
      return;
    }
    report(fmt::format("/stages/{}/{}", stage, position),
           text == nullptr ? "must be a text such as \"F0\"" : fmt::format("'{}' is not an operation", *text),
           "write F, B, I, W or R and the microbatch, then .chunk if it is not 0: F3, B3.1");
  }

  void report(const std::string& path, std::string what, std::string hint = {}) {
    if (problems_.size() >= kMaximumProblems) {
      ++left_out_;
      return;
    }
    problems_.push_back({path.empty() ? name_ : fmt::format("{}: {}", name_, path), std::move(what), std::move(hint)});
  }

  std::string name_;
  std::vector<Problem> problems_;
  std::size_t left_out_ = 0;
  Order order_;
};

}  // namespace

Result<Order> parse_order(std::string_view json, std::string name) {
  const auto document = parse_json(json, std::move(name));
  if (!document) return tl::unexpected(document.error());
  return OrderReader(document->name).read(document->root);
}

}  // namespace kareus::pipeline
