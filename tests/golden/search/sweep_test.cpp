#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kareus/table.hpp"

namespace kareus::search {
namespace {

const Table& sweep() {
  static const Table table =
      read_table(KAREUS_TEST_DATA "/a100-attn-tp2-sweep.csv", KAREUS_TEST_DATA "/a100-attn-tp2-sweep.toml").value();
  return table;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(Sweep, HoldsTheMeasuredConfigurations) {
  EXPECT_EQ(sweep().space.rows.size(), 640U);
  EXPECT_EQ(sweep().space.features.size(), 18U);
  EXPECT_TRUE(sweep().notes.empty());
  EXPECT_EQ(sweep().labels[0], "overlap_start=-1 overlap_end=-1 comm_sm_number=1 comm_block_size=512");
  // Its first row: median time 11.4355 ms, median energy 3.32356 J of two GPUs.
  EXPECT_NEAR(sweep().objectives[0]->time, 0.011435330114332586, 1e-15);
  EXPECT_NEAR(sweep().objectives[0]->energy, 3.3235587905935966 / 2 - 85.0 * 0.011435330114332586, 1e-12);
  for (const auto& objectives : sweep().objectives) EXPECT_TRUE(objectives);
}

// Over ten seeds the median ratios are 0.99 (dynamic energy) and 0.95 (total energy); uniform sampling of as many
// reaches 0.94 and 0.83. The total front is 5 % wide in time and 3 % in energy with 1 % of noise: a hard mark.
TEST(Sweep, ThePublishedBudgetFindsTheFront) {
  std::vector<double> total;
  std::vector<double> dynamic;
  std::vector<double> random_total;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    MultiPassOptions options = published_sizes(5);
    options.seed = seed;
    options.static_power = sweep().static_power;
    auto optimizer = make_multi_pass(sweep().space, options).value();
    const auto search = search_table(sweep(), *optimizer).value();
    EXPECT_LE(search.steps.size(), 224U);
    total.push_back(search.total.ratio);
    dynamic.push_back(search.dynamic.ratio);
    auto random = make_random(sweep().space, search.steps.size(), seed).value();
    random_total.push_back(search_table(sweep(), *random).value().total.ratio);
  }
  EXPECT_GT(median(dynamic), 0.97);
  EXPECT_GT(median(total), 0.90);
  EXPECT_GT(median(total), median(random_total) + 0.03);
  EXPECT_LE(*std::max_element(total.begin(), total.end()), 1.0);
}

}  // namespace
}  // namespace kareus::search
