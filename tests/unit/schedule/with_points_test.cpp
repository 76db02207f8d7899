#include <gtest/gtest.h>

#include "frontiers.hpp"
#include "kareus/schedule.hpp"

namespace kareus::schedule {
namespace {

TEST(WithPoints, KeepsThePlansAndDropsWhatNoneOfThemUses) {
  const FrontierFile whole = testing::small_frontier();
  const std::size_t ends[] = {0, 2};
  const FrontierFile kept = with_points(whole, ends);
  ASSERT_EQ(kept.points.size(), 2U);
  EXPECT_EQ(make_plan(kept, 0), make_plan(whole, 0));
  EXPECT_EQ(make_plan(kept, 1), make_plan(whole, 2));
  EXPECT_EQ(parse_frontier(to_json(kept), "kept").value(), kept);

  const std::size_t last[] = {2};
  const FrontierFile one = with_points(whole, last);
  EXPECT_EQ(make_plan(one, 0), make_plan(whole, 2));
  for (const StageOptions& stage : one.stages) {
    EXPECT_EQ(stage.forward.size(), 1U);
    EXPECT_EQ(stage.backward.size(), 1U);
  }
}

TEST(WithPoints, AllPointsKeepWhatIsChosen) {
  const FrontierFile whole = testing::small_frontier();
  const std::size_t all[] = {0, 1, 2};
  const FrontierFile kept = with_points(whole, all);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(make_plan(kept, i), make_plan(whole, i));
}

}  // namespace
}  // namespace kareus::schedule
