// The curve against the published reference solver, which steps one time unit at a time over the same integer
// durations and is optimal at each of them (tests/data/README.md).

#include "perseus_bench.hpp"

#include <algorithm>
#include <cmath>

namespace kareus::pipeline {
namespace {

struct Case {
  const char* name;
  double unit_seconds;
  std::size_t breakpoints;
  std::size_t rows;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class PerseusBench : public testing::TestWithParam<Case> {};

TEST_P(PerseusBench, CurveMatchesTheReferenceAtEveryUnit) {
  const Case& c = GetParam();
  const BenchPipeline pipeline = read_bench_pipeline(c.name, c.unit_seconds);
  const auto rows = read_reference(c.name);
  ASSERT_EQ(rows.size(), c.rows);
  const auto curve = Curve::solve(pipeline.dag, pipeline.costs);
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->breakpoints().size(), c.breakpoints);
  double gap = 0;
  for (const ReferenceRow& row : rows) {
    gap = std::max(gap, std::fabs(curve->at(Seconds(row.units * c.unit_seconds)).si() - row.energy));
  }
  EXPECT_LE(gap, 1e-5);
  EXPECT_NEAR(curve->fastest().si(), rows.back().units * c.unit_seconds, 1e-9);
  EXPECT_NEAR(curve->slowest().si(), (rows.front().units + 1) * c.unit_seconds, 1e-9);
}

TEST_P(PerseusBench, EveryBreakpointIsCertified) {
  const Case& c = GetParam();
  const BenchPipeline pipeline = read_bench_pipeline(c.name, c.unit_seconds);
  const auto curve = Curve::solve(pipeline.dag, pipeline.costs);
  ASSERT_TRUE(curve);
  for (std::size_t i = 0; i < curve->breakpoints().size(); ++i) {
    const Certificate certificate = curve->certify(i);
    ASSERT_TRUE(certificate.optimal()) << i;
    ASSERT_NEAR(certificate.primal, curve->breakpoints()[i].effective_energy.si(), 1e-7) << i;
  }
}

TEST_P(PerseusBench, RealPlansAreCloseToTheBound) {
  const Case& c = GetParam();
  const BenchPipeline pipeline = read_bench_pipeline(c.name, c.unit_seconds);
  const auto curve = Curve::solve(pipeline.dag, pipeline.costs);
  ASSERT_TRUE(curve);
  for (int i = 0; i <= 10; ++i) {
    const Seconds wanted = curve->fastest() + 0.1 * i * (curve->slowest() - curve->fastest());
    const RealPlan plan = round_to_options(pipeline.dag, pipeline.costs, *curve, wanted);
    EXPECT_LE(plan.time.si(), wanted.si() + 1e-9);
    EXPECT_GE(plan.effective_energy.si(), curve->at(plan.time).si() - 1e-6);
    EXPECT_LE(plan.effective_energy / curve->at(wanted), 1.01) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, PerseusBench,
                         testing::Values(Case{"exp_s2_m8_u10ms", 0.01, 71, 223},
                                         Case{"exp_s4_m8_u10ms", 0.01, 204, 258},
                                         Case{"pwl_s4_m8_u5ms", 0.005, 345, 522},
                                         Case{"exp_s8_m32_u10ms", 0.01, 406, 950}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kareus::pipeline
