#include "search/acquisition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "search/reference.hpp"

namespace kareus::search {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> sizes(BatchShares shares) {
  return {shares.total_energy, shares.dynamic_energy, shares.static_energy, shares.uncertainty};
}

TEST(SplitBatch, RoundsAsPublished) {
  EXPECT_THAT(sizes(split_batch({}, 32)), ElementsAre(13, 6, 6, 7));
  EXPECT_THAT(sizes(split_batch({}, 16)), ElementsAre(6, 3, 3, 4));
  EXPECT_THAT(sizes(split_batch({}, 1)), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(sizes(split_batch({}, 0)), ElementsAre(0, 0, 0, 0));
}

TEST(SplitBatch, NeverPicksMoreThanTheBatch) {
  const MultiPassOptions halves{.total_share = 0.5, .dynamic_share = 0.5, .static_share = 0.0};
  EXPECT_THAT(sizes(split_batch(halves, 3)), ElementsAre(2, 1, 0, 0));
}

TEST(Options, SizesAreThePublishedOnes) {
  const auto sizes_of = [](std::size_t slots) {
    const MultiPassOptions o = published_sizes(slots);
    return std::vector<std::size_t>{o.initial, o.batches, o.batch_size};
  };
  EXPECT_THAT(sizes_of(1), ElementsAre(36, 3, 16));
  EXPECT_THAT(sizes_of(2), ElementsAre(48, 4, 16));
  EXPECT_THAT(sizes_of(3), ElementsAre(48, 4, 16));
  EXPECT_THAT(sizes_of(4), ElementsAre(96, 4, 32));
}

TEST(Options, PassNamesReadBack) {
  for (const Pass pass :
       {Pass::initial, Pass::total_energy, Pass::dynamic_energy, Pass::static_energy, Pass::uncertainty}) {
    EXPECT_EQ(parse_pass(to_string(pass)), pass);
  }
  EXPECT_EQ(parse_pass("total"), std::nullopt);
}

TEST(Reference, LiesATenthBeyondTheWorst) {
  const Objectives reference = acquisition_reference(std::vector<Objectives>{{1, 2}, {3, 1}});
  EXPECT_DOUBLE_EQ(reference.time, 3.3);
  EXPECT_DOUBLE_EQ(reference.energy, 2.2);
}

TEST(Reference, LiesBeyondNegativeAndZeroEnergiesToo) {
  EXPECT_DOUBLE_EQ(acquisition_reference(std::vector<Objectives>{{1, -2}, {1, -4}}).energy, -1.8);
  EXPECT_DOUBLE_EQ(acquisition_reference(std::vector<Objectives>{{1, 0}, {1, -4}}).energy, 0.4);
  EXPECT_GT(acquisition_reference(std::vector<Objectives>{{1, 0}}).energy, 0.0);
}

TEST(Reference, OfReportsIgnoresDominatedPoints) {
  const Objectives reference = reporting_reference(std::vector<Objectives>{{1, 5}, {3, 1}, {100, 100}});
  EXPECT_DOUBLE_EQ(reference.time, 3.2);
  EXPECT_DOUBLE_EQ(reference.energy, 5.4);
  EXPECT_DOUBLE_EQ(reporting_reference(std::vector<Objectives>{{2, -1}}).energy, -0.9);
}

/// Two observed points; candidates 0 (improves total and dynamic most), 1 (fastest), 2 (dominated), 3 (uncertain).
Scores example_scores() {
  const std::vector<Objectives> observed = {{1.0, 2.0}, {2.0, 1.0}};
  const Forecast forecast{
      .mean = {{1.2, 1.1}, {0.9, 2.5}, {2.2, 2.1}, {2.1, 2.0}},
      .ensemble = {{{1.2, 1.1}, {0.9, 2.5}, {2.2, 2.1}, {1.1, 1.0}}, {{1.2, 1.1}, {0.9, 2.5}, {2.2, 2.1}, {3.1, 3.0}}}};
  return score_candidates(observed, forecast, 0.5);
}

TEST(Scores, FollowTheirDefinitions) {
  const Scores scores = example_scores();
  // Normalised: front (0, 1), (1, 0), reference (1.2, 1.2), candidate (0.2, 0.1).
  EXPECT_NEAR(scores.dynamic_energy.improvement[0], 0.8 * 0.9, 1e-9);
  EXPECT_EQ(scores.dynamic_energy.improvement[2], 0.0);
  EXPECT_NEAR(scores.dynamic_energy.nearness[2], -0.2, 1e-9);  // (1.2, 1.1) behind the corner (1, 1)
  EXPECT_NEAR(scores.dynamic_energy.nearness[0], 0.8, 1e-9);
  EXPECT_GT(scores.static_energy[1], scores.static_energy[0]);
  EXPECT_EQ(scores.uncertainty[0], 0.0);
  EXPECT_NEAR(scores.uncertainty[3], 2.0, 1e-9);  // standard deviation 1 in each, ranges 1
}

TEST(SelectBatch, RunsThePassesInOrderWithoutDuplicates) {
  const std::vector<std::size_t> order = {3, 2, 1, 0};
  const auto batch = select_batch(example_scores(), {1, 0, 1, 1}, order);
  ASSERT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch[0].candidate, 0U);
  EXPECT_EQ(batch[0].pass, Pass::total_energy);
  EXPECT_EQ(batch[1].candidate, 1U);
  EXPECT_EQ(batch[1].pass, Pass::static_energy);
  EXPECT_EQ(batch[2].candidate, 3U);
  EXPECT_EQ(batch[2].pass, Pass::uncertainty);
}

TEST(SelectBatch, FillsWhatThePassesLeave) {
  const std::vector<std::size_t> order = {0, 1, 2, 3};
  const auto batch = select_batch(example_scores(), {4, 0, 0, 0}, order);
  std::set<std::size_t> distinct;
  for (const Suggestion& s : batch) distinct.insert(s.candidate);
  EXPECT_EQ(batch.size(), 4U);
  EXPECT_EQ(distinct.size(), 4U);
  EXPECT_EQ(batch[2].candidate, 3U) << "nearer to a front than candidate 2";
}

TEST(SelectBatch, PicksOnlyWhatIsOnOffer) {
  const std::vector<std::size_t> order = {2};
  const auto batch = select_batch(example_scores(), {2, 1, 1, 1}, order);
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch[0].candidate, 2U);
}

}  // namespace
}  // namespace kareus::search
