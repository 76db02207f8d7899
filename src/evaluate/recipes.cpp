#include <fmt/format.h>

#include "kareus/evaluation.hpp"

namespace kareus::evaluate {

std::vector<Recipe> methods() {
  return {{.name = "megatron", .method = Method::megatron},
          {.name = "megatron-perseus", .method = Method::megatron_perseus},
          {.name = "nanobatching", .method = Method::nanobatching},
          {.name = "nanobatching-perseus", .method = Method::nanobatching_perseus},
          {.name = "kareus-published", .search = Search::multi_pass, .unit_steps = true, .constant_static_power = true},
          {.name = "kareus", .search = Search::adaptive},
          {.name = "kareus-parked", .search = Search::adaptive, .parked = true}};
}

std::vector<Recipe> ablations() {
  std::vector<Recipe> all = {
      {.name = "exhaustive"},
      {.name = "without clock scaling", .clocks = false},
      {.name = "without kernel scheduling", .kernels = false},
      {.name = "without sequential switching", .sequential = false},
      {.name = "without static power by clock", .constant_static_power = true},
      {.name = "published + exact solver", .search = Search::multi_pass, .constant_static_power = true},
      {.name = "published + exact solver + static power by clock", .search = Search::multi_pass},
      {.name = "published + adaptive search",
       .search = Search::adaptive,
       .unit_steps = true,
       .constant_static_power = true},
      {.name = "published + parked clocks",
       .search = Search::multi_pass,
       .unit_steps = true,
       .constant_static_power = true,
       .parked = true},
  };
  for (const search::Pass pass : {search::Pass::total_energy, search::Pass::dynamic_energy, search::Pass::static_energy,
                                  search::Pass::uncertainty}) {
    all.push_back({.name = fmt::format("published without the {} pass", to_string(pass)),
                   .search = Search::multi_pass,
                   .unit_steps = true,
                   .constant_static_power = true,
                   .without = pass});
  }
  return all;
}

}  // namespace kareus::evaluate
