#include <gtest/gtest.h>

#include "kareus/rounding.hpp"

namespace kareus::pipeline {
namespace {

using namespace literals;

/// Two nodes on one stage, 1 s and 2 s, at 1400 and 1000 MHz: runs [start, start + 1] and [again, again + 2].
struct Stage {
  Dag dag;
  NodeCosts costs{.function_of = {0, 1}, .functions = {{{1.0_s, 10.0_J}}, {{2.0_s, 10.0_J}}}};
  ClockModel clocks{.clocks = {{1400_MHz}, {1000_MHz}},
                    .switch_latency = 0.25_s,
                    .static_power = [](Clock clock) { return Watts(40 + clock.mhz * 0.01); },
                    .parked = 200_MHz};

  Stage() {
    dag.nodes.resize(2);
    dag.nodes[1].position = 1;
    dag.predecessors = {{}, {{.node = 0, .lag = 0_s}}};
    dag.tail.resize(2);
    dag.node_at = {{0, 1}};
    dag.stages = 1;
  }
  Parking park(double start, double again, double end) const {
    const std::vector<std::uint32_t> choice{0, 0};
    return park_waits(dag, costs, {.start = {Seconds(start), Seconds(again)}, .makespan = Seconds(end)}, choice,
                      clocks);
  }
};

TEST(ParkWaits, SavesTheDifferenceForAllButTwoSwitches) {
  // Waits 3 s at 1400 MHz (54 W) between the nodes; parked at 200 MHz (42 W) for 2.5 s of them.
  const Parking parking = Stage().park(0, 4, 6);
  EXPECT_NEAR(parking.saves.si(), 12 * 2.5, 1e-9);
  EXPECT_EQ(parking.clock_switches, 3);  // 1400 to 200, to 1000, and back to 1400 at the end
}

TEST(ParkWaits, LeavesShortWaitsAlone) {
  const Parking parking = Stage().park(0, 1.5, 3.5);
  EXPECT_EQ(parking.saves, Joules(0));
  EXPECT_EQ(parking.clock_switches, 2);
}

TEST(ParkWaits, ParksBeforeTheFirstAndAfterTheLastNode) {
  // 2 s before the first at its clock: 12 W for 1.5 s. 1 s after the last, at 1000 MHz (50 W): 8 W for 0.5 s.
  const Parking parking = Stage().park(2, 3, 6);
  EXPECT_NEAR(parking.saves.si(), 12 * 1.5 + 8 * 0.5, 1e-9);
  EXPECT_EQ(parking.clock_switches, 2 + 1 + 2);
}

TEST(ParkWaits, DoesNotParkDuringTheFixedWorkAtTheEnd) {
  Stage stage;
  stage.dag.tail[1] = 1.0_s;
  EXPECT_EQ(stage.park(0, 1, 4).saves, Joules(0));
  EXPECT_NEAR(stage.park(0, 1, 5).saves.si(), 8 * 0.5, 1e-9);
}

TEST(ParkWaits, SavesNothingWhereTheClockIsParkedAlready) {
  Stage stage;
  stage.clocks.parked = 1400_MHz;
  // After the last node parking at 1400 MHz would cost; before it the clock is there already.
  EXPECT_EQ(stage.park(2, 6, 12).saves, Joules(0));
}

TEST(ParkWaits, IsOffWithoutClocksOrStaticPower) {
  Stage stage;
  stage.clocks.static_power = nullptr;
  EXPECT_EQ(stage.park(0, 4, 6).saves, Joules(0));
  EXPECT_EQ(stage.park(0, 4, 6).clock_switches, 2);
  stage.clocks.clocks.clear();
  EXPECT_EQ(stage.park(0, 4, 6).clock_switches, 0);
}

TEST(WaitingEnergy, IsDrawnAtTheClockOfWhatRanBefore) {
  const Stage stage;
  const std::vector<std::uint32_t> choice{0, 0};
  const std::vector<std::vector<Watts>> power{{Watts(54)}, {Watts(50)}};
  const auto energy = [&](double start, double again, double end) {
    return waiting_energy(stage.dag, stage.costs, {.start = {Seconds(start), Seconds(again)}, .makespan = Seconds(end)},
                          choice, power)
        .si();
  };
  EXPECT_EQ(energy(0, 1, 3), 0);
  // 2 s before the first node at its clock, 1 s after it, 3 s after the last.
  EXPECT_DOUBLE_EQ(energy(2, 4, 9), 54 * 2 + 54 * 1 + 50 * 3);
}

}  // namespace
}  // namespace kareus::pipeline
