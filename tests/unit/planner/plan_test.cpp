#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "planner_support.hpp"

namespace kareus::planner {
namespace {

using testing::HasSubstr;

TEST(PartitionSpace, ListsEveryClockSmCountAndSearchedSlot) {
  const auto workload = testbed("llama3.2-3b-tp8-mbs8-seq4096");
  const auto info = a100().info();
  const auto parts = workload::decompose(workload, info.rates);
  const PartitionSpace space = partition_space(parts.types.front(), info);
  EXPECT_EQ(parts.types.front().name, "fwd_attn");
  EXPECT_EQ(space.candidates.size(), 18U * 10U * 4U);
  EXPECT_EQ(space.features.rows.size(), space.candidates.size());
  EXPECT_EQ(space.features.features.size(), 2U + 4U);
  for (std::size_t i = 0; i < space.candidates.size(); ++i) {
    const auto& row = space.features.rows[i];
    EXPECT_EQ(row[0], space.candidates[i].clock.mhz);
    EXPECT_EQ(row[1], space.candidates[i].config->sm_count.value);
    EXPECT_EQ(row[2] + row[3] + row[4] + row[5], 1.0);
  }
}

TEST(Plan, EnergyIsDynamicPlusStaticPowerTimesTimeEverywhere) {
  auto store = memory_store();
  const auto workload = testbed("qwen3-1.7b-tp8-mbs8-seq4096");
  Options published;
  published.constant_static_power = true;
  const auto result = plan(workload, simulated(), store, published);
  ASSERT_TRUE(result) << result.error().to_string();
  for (const auto* file : {&result->kareus, &result->megatron, &result->megatron_perseus}) {
    ASSERT_FALSE(file->points.empty());
    for (const auto& point : file->points) {
      double effective = 0;
      for (std::size_t stage = 0; stage < file->order.size(); ++stage) {
        for (std::size_t i = 0; i < file->order[stage].size(); ++i) {
          const auto& option = file->stages[stage].of(file->order[stage][i].kind)[point.choices[stage][i]];
          effective += (option.energy - file->static_power * option.time).si();
        }
      }
      const double expected = effective + 2 * file->static_power.si() * point.time.si();
      EXPECT_NEAR(point.energy.si(), expected, 1e-9 * expected);
      EXPECT_NEAR((point.static_energy + point.dynamic_energy).si(), expected, 1e-9 * expected);
      EXPECT_GE(point.energy.si(), point.bound.si() * (1 - 1e-9));
    }
    for (std::size_t i = 1; i < file->points.size(); ++i) {
      EXPECT_GT(file->points[i].time, file->points[i - 1].time);
      EXPECT_LT(file->points[i].energy, file->points[i - 1].energy);
    }
  }
  EXPECT_NEAR(result->kareus.static_power.si(), 85.0, 3.0);

  // Charged by their clocks the same waits take less, down to what they took at the highest.
  const auto by_clock = plan(workload, simulated(), store, {}).value();
  const schedule::PowerByClock& powers = by_clock.kareus.static_power_at;
  ASSERT_EQ(powers.size(), 4U);
  EXPECT_EQ(powers.rbegin()->second, result->kareus.static_power);
  for (auto power = powers.begin(); std::next(power) != powers.end(); ++power) {
    EXPECT_LT(power->second, std::next(power)->second);
  }
  EXPECT_NEAR(by_clock.megatron.points[0].energy / result->megatron.points[0].energy, 1.0, 1e-9);
  EXPECT_LT(by_clock.kareus.points.back().energy, result->kareus.points.back().energy);
  for (const auto& point : by_clock.kareus.points) {
    EXPECT_GE(point.energy.si(), point.bound.si() * (1 - 1e-9));
    EXPECT_NEAR((point.static_energy + point.dynamic_energy) / point.energy, 1.0, 1e-9);
  }
}

TEST(Plan, WhatWasCutShortIsBeatenAtItsClockAndNotPlanned) {
  auto store = memory_store();
  const auto workload = testbed("qwen3-1.7b-tp8-mbs8-seq4096");
  const auto result = plan(workload, simulated(), store, {});
  ASSERT_TRUE(result) << result.error().to_string();
  const auto all = *store.measurements("");
  std::size_t cut = 0;
  for (const auto& one : all) {
    if (one.status != profile::Status::censored) continue;
    ++cut;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& other) {
      return other.usable() && other.work == one.work && other.execution.clock == one.execution.clock &&
             other.time <= one.time && other.energy < one.energy;
    }));
    for (const auto& stage : result->kareus.stages) {
      for (const auto* options : {&stage.forward, &stage.backward}) {
        for (const auto& option : *options) {
          if (option.schedule.clock != one.execution.clock) continue;
          for (const auto* types : {&option.schedule.partitions, &option.schedule.recomputed}) {
            const auto found = types->find(one.work);
            EXPECT_TRUE(found == types->end() || found->second != *one.execution.config);
          }
        }
      }
    }
  }
  EXPECT_GT(cut, 0U);
}

TEST(Plan, TheAdaptiveProtocolChangesTheClockLessOftenAndTakesAQuarterOfTheTime) {
  const auto workload = testbed("qwen3-1.7b-tp8-mbs8-seq4096");
  std::map<std::string, double> changes;
  std::map<std::string, double> seconds;
  for (const std::string& protocol : profile::protocol_names()) {
    auto store = memory_store();
    Options options;
    options.protocol = *profile::parse_protocol(protocol);
    ASSERT_TRUE(measure(workload, simulated(), store, options));
    const auto all = *store.measurements("");
    for (std::size_t i = 1; i < all.size(); ++i) {
      changes[protocol] += all[i].execution.clock != all[i - 1].execution.clock ? 1.0 : 0.0;
    }
    changes[protocol] /= static_cast<double>(all.size());
    for (const auto& one : all) seconds[protocol] += one.spent.si();
  }
  EXPECT_LT(changes["adaptive"], 0.7 * changes["published"]);
  EXPECT_LT(seconds["adaptive"], 0.25 * seconds["published"]);
}

TEST(Plan, MegatronRunsEverythingSequentiallyAtTheHighestClock) {
  auto store = memory_store();
  const auto result = plan(testbed("qwen3-1.7b-tp8-mbs8-seq4096"), simulated(), store, {});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->megatron.points.size(), 1U);
  for (const auto& stage : result->megatron.stages) {
    for (const auto* options : {&stage.forward, &stage.backward}) {
      ASSERT_EQ(options->size(), 1U);
      EXPECT_TRUE(options->front().schedule.sequential);
      EXPECT_EQ(options->front().schedule.clock, Clock{1410});
    }
  }
  for (const auto& stage : result->megatron_perseus.stages) {
    for (const auto& option : stage.forward) EXPECT_TRUE(option.schedule.sequential);
  }
}

TEST(Plan, GoesOnWithoutTheConfigurationsThatFail) {
  const auto open = refusing([](const device::Work&, const device::Execution& execution) -> Result<void> {
    const bool third = execution.config && (execution.clock.mhz / 30 + execution.config->sm_count.value) % 3 == 0;
    if (third) return fail(ErrorCode::infeasible, "refused");
    return {};
  });
  auto store = memory_store();
  const auto result = plan(testbed("llama3.2-3b-tp8-mbs8-seq4096"), open, store, {});
  ASSERT_TRUE(result) << result.error().to_string();
  std::set<int> sm_counts;
  for (const auto& option : result->kareus.stages[0].forward) {
    for (const auto& [type, config] : option.schedule.partitions) {
      EXPECT_NE((option.schedule.clock.mhz / 30 + config.sm_count.value) % 3, 0) << type;
    }
  }
  const auto stored = store.measurements("fwd_attn");
  const auto failed =
      std::count_if(stored->begin(), stored->end(), [](const auto& m) { return m.status == profile::Status::failed; });
  EXPECT_GT(failed, 0);
  for (const auto& measurement : *stored) {
    if (measurement.status == profile::Status::failed) {
      EXPECT_THAT(measurement.message, HasSubstr("refused"));
    }
  }
}

TEST(Plan, EndsWithAClearErrorWhenNothingCanBeMeasured) {
  const auto open = refusing([](const device::Work&, const device::Execution&) -> Result<void> {
    return fail(ErrorCode::infeasible, "refused");
  });
  auto store = memory_store();
  const auto result = plan(testbed("llama3.2-3b-tp8-mbs8-seq4096"), open, store, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_input);
}

TEST(Plan, StopsAtOnceWhenTheDeviceIsLost) {
  int runs = 0;
  const auto open = refusing([&](const device::Work&, const device::Execution&) -> Result<void> {
    if (++runs > 100) return fail(ErrorCode::device, "GPU is lost");
    return {};
  });
  auto store = memory_store();
  const auto result = plan(testbed("llama3.2-3b-tp8-mbs8-seq4096"), open, store, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::device);
  EXPECT_EQ(runs, 101);
  EXPECT_FALSE(store.measurements("")->empty());
}

TEST(Plan, StopsBetweenMeasurementsWhenInterruptedAndGoesOn) {
  auto whole_store = memory_store();
  const auto workload = testbed("qwen3-1.7b-tp8-mbs8-seq4096");
  const auto whole = plan(workload, simulated(), whole_store, {});
  ASSERT_TRUE(whole);

  auto store = memory_store();
  for (const std::size_t limit : {0U, 5U, 300U}) {
    Options options;
    std::size_t fresh = 0;
    options.on_progress = [&](const Progress& progress) { fresh = progress.done - progress.reused; };
    options.interrupted = [&] { return fresh >= limit; };
    const auto stopped = plan(workload, simulated(), store, options);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::interrupted);
  }
  const auto result = plan(workload, simulated(), store, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->kareus, whole->kareus);
  EXPECT_EQ(store.measurements("")->size(), whole_store.measurements("")->size());
}

TEST(Plan, IsTheSameForAnyNumberOfThreads) {
  const auto workload = testbed("qwen3-1.7b-cp2tp4-mbs8-seq4096");
  auto store_one = memory_store();
  const auto one = plan(workload, simulated(), store_one, {});
  auto store_three = memory_store();
  Options options;
  options.threads = 3;
  const auto three = plan(workload, simulated(), store_three, options);
  ASSERT_TRUE(one);
  ASSERT_TRUE(three);
  EXPECT_EQ(schedule::to_json(one->kareus), schedule::to_json(three->kareus));
  EXPECT_EQ(report::render_html(one->report), report::render_html(three->report));
}

TEST(Outline, CountsWhatAPlanMeasures) {
  const auto workload = testbed("llama3.2-3b-tp8-mbs8-seq4096");
  const Outline expected = outline(workload, a100().info(), {});
  ASSERT_EQ(expected.types.size(), 4U);
  std::size_t total = expected.other_measurements;
  for (const auto& type : expected.types) total += type.budget;
  auto store = memory_store();
  ASSERT_TRUE(plan(workload, simulated(), store, {}));
  EXPECT_LE(store.measurements("")->size(), total + 1);
  EXPECT_GT(store.measurements("")->size(), total / 4);
}

}  // namespace
}  // namespace kareus::planner
