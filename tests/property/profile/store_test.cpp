#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "../../unit/profile/fake_device.hpp"

namespace kareus::profile {
namespace {

double positive() {
  const auto mantissa = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53);
  return std::ldexp(static_cast<double>(mantissa), *rc::gen::inRange(-120, 120));
}

Measurement any_measurement() {
  Measurement measurement;
  measurement.work = *rc::gen::element<std::string>("a", "b", "c'\"\n");
  measurement.execution.clock = Clock{*rc::gen::inRange(1, 4)};
  if (*rc::gen::arbitrary<bool>()) {
    measurement.execution.config = {SmCount{*rc::gen::inRange(1, 3)}, *rc::gen::element<std::string>("none", "norm_0")};
  }
  measurement.status = *rc::gen::element(Status::ok, Status::throttled, Status::censored, Status::failed);
  measurement.message = *rc::gen::string<std::string>();
  if (measurement.status != Status::failed) {
    measurement.time = Seconds(positive());
    measurement.energy = Joules(positive());
  }
  measurement.temperature = Celsius{*rc::gen::element(1.0, -1.0) * positive()};
  measurement.window = Seconds(positive());
  measurement.repetitions = *rc::gen::inRange(0L, 1L << 40);
  measurement.energy_interval = positive();
  measurement.spent = Seconds(positive());
  measurement.found_by = *rc::gen::element<std::string>("", "total", "uncertainty");
  return measurement;
}

// Against a list in memory; the file is closed and opened again at any place.
RC_GTEST_PROP(StoreProperty, BehavesAsAList, ()) {
  const testing::TemporaryPath file;
  auto store = Store::open(file.path(), "property");
  RC_ASSERT(store.has_value());
  std::vector<Measurement> expected;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    if (*rc::gen::inRange(0, 4) == 0) {
      store = Result<Store>(fail(ErrorCode::internal, "closed"));
      store = Store::open(file.path(), "property");
      RC_ASSERT(store.has_value());
    }
    expected.push_back(any_measurement());
    RC_ASSERT(store->insert(expected.back(), "family", std::to_string(i)).has_value());
    RC_ASSERT(**store->device_checkpoint("family") == std::to_string(i));
  }
  const auto all = store->measurements("");
  RC_ASSERT(all->size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) RC_ASSERT(testing::same((*all)[i], expected[i]));
  for (const Measurement& one : expected) {
    const Measurement* best = nullptr;
    for (const Measurement& other : expected) {
      if (other.work != one.work || other.execution.clock != one.execution.clock ||
          other.execution.config != one.execution.config) {
        continue;
      }
      if (best == nullptr || (other.status != Status::failed) || !(best->status != Status::failed)) best = &other;
    }
    RC_ASSERT(testing::same(**store->find(one.work, one.execution), *best));
  }
}

}  // namespace
}  // namespace kareus::profile
