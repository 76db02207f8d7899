#include <algorithm>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

// Qi et al., Zero Bubble Pipeline Parallelism (2023), section 2: warm-up and alternation as in 1F1B, so the gradients
// reach the stage before sooner by one weight gradient per stage. Stage s lags s weight gradients behind: whatever is
// missing at its end then fills the wait, and a microbatch's activations (kept until its weight gradient) are those of
// `stages` microbatches at most on every stage, what 1F1B keeps on its first. With equal stages and input gradients no
// shorter than weight gradients the bubble is (stages - 1) (forward + input gradient - weight gradient).
Order zero_bubble_h1(int stages, int microbatches) {
  using enum OperationKind;
  KAREUS_CHECK(stages >= 0 && microbatches >= 0);
  Order order(static_cast<std::size_t>(stages));
  for (int stage = 0; stage < stages; ++stage) {
    auto& operations = order[static_cast<std::size_t>(stage)];
    operations.reserve(3 * static_cast<std::size_t>(microbatches));
    const int warm_up = std::min(microbatches, stages - 1 - stage);
    int forwards = 0;
    for (; forwards < warm_up; ++forwards) operations.push_back({forward, forwards, 0});
    for (int backwards = 0; backwards < microbatches; ++backwards) {
      if (forwards < microbatches) operations.push_back({forward, forwards++, 0});
      operations.push_back({input_gradient, backwards, 0});
      if (backwards >= stage) operations.push_back({weight_gradient, backwards - stage, 0});
    }
    for (int late = std::max(0, microbatches - stage); late < microbatches; ++late) {
      operations.push_back({weight_gradient, late, 0});
    }
  }
  return order;
}

}  // namespace kareus::pipeline
