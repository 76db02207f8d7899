#pragma once

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

/// What every stage of a complete order runs: each chunk on each microbatch.
struct OrderShape {
  int microbatches = 0;
  int chunks = 0;
};

/// Checks that every stage runs the forward and the backward (whole, or both halves) of every microbatch and chunk, and
/// nothing twice. Whether it can run in this order is not looked at. Time and memory are of the order's size, whatever
/// numbers are in it. Errors: bad_input with all problems, stage by stage.
Result<OrderShape> check_order(const Order& order);

}  // namespace kareus::pipeline
