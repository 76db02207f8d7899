#include <gtest/gtest.h>

#include <cstdlib>

#include "../../unit/report/example_report.hpp"
#include "base/files.hpp"
#include "report/page_data.hpp"

namespace kareus::report {
namespace {

ReportInput small_report() {
  ReportInput input = smallest_report();
  input.facts = {{"Device", "A100 < 40 GB"}};
  input.baselines = {input.kareus};
  input.baselines[0].provenance.method = "megatron";
  input.baselines[0].points[0].time *= 1.25;
  input.partitions = {{.type = "fwd_attn",
                       .space_size = 4,
                       .points = {{.clock = Clock{1410},
                                   .config = {SmCount{12}, "rmsnorm"},
                                   .time = Seconds(0.0014),
                                   .energy = Joules(0.5),
                                   .dynamic_energy = Joules(0.381),
                                   .found_by = "initial",
                                   .on_frontier = true},
                                  {.clock = Clock{1395},
                                   .config = {SmCount{20}, schedule::kNoSlot},
                                   .time = Seconds(0.0016),
                                   .energy = Joules(2.0 / 3),
                                   .dynamic_energy = Joules(0.5),
                                   .found_by = "uncertainty"}}}};
  return input;
}

/// The page's scripts read exactly this form. Run with KAREUS_UPDATE_GOLDEN=1 to accept a change of it.
TEST(PageDataGolden, FormOfTheEmbeddedData) {
  const std::string path = KAREUS_SOURCE_DIR "/tests/golden/report/page_data.json";
  const std::string data = page_data(small_report()) + "\n";
  if (std::getenv("KAREUS_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomically(path, data));
  }
  const auto golden = read_file(path);
  ASSERT_TRUE(golden) << path;
  EXPECT_EQ(data, *golden);
}

}  // namespace
}  // namespace kareus::report
