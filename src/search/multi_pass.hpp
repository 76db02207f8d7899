#pragma once

#include <memory>

#include "kareus/search.hpp"
#include "search/surrogate.hpp"

namespace kareus::search {

/// make_multi_pass() with other surrogates than XGBoost.
Result<std::unique_ptr<Optimizer>> make_multi_pass_with(Space space, MultiPassOptions options,
                                                        SurrogateFactory make_surrogate);

}  // namespace kareus::search
