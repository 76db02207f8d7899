#include "schedule/published_costs.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace kareus::schedule {
namespace {

bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

template <class T>
std::optional<T> take_number(std::string_view& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

PublishedCosts read_costs(const std::vector<LiteralFile::Comment>& comments, const std::string& name,
                          std::vector<Problem>& problems) {
  PublishedCosts costs;
  for (const LiteralFile::Comment& comment : comments) {
    std::string_view text = comment.text;
    if (!consume(text, "Iteration ")) continue;
    const auto problem = [&](std::string what) {
      problems.push_back({fmt::format("{}:{}:1", name, comment.line), std::move(what), ""});
    };
    const auto iteration = take_number<long>(text);
    if (!iteration || *iteration < 0) {
      problem("the comment names no iteration");
      continue;
    }
    if (costs.iteration && *costs.iteration != *iteration) {
      problem(fmt::format("the comment is of iteration {}, the one before of {}", *iteration, *costs.iteration));
    }
    costs.iteration = iteration;
    const bool total = consume(text, " total cost with P2P: ");
    if (!total && !consume(text, " total cost: ")) continue;
    const auto cost = take_number<double>(text);
    if (!cost || !text.empty() || !std::isfinite(*cost)) {
      problem("the comment's cost is no finite number");
      continue;
    }
    (total ? costs.total_energy_j : costs.effective_energy_j) = cost;
  }
  return costs;
}

}  // namespace kareus::schedule
