#include "kareus/quantity.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>

namespace kareus {
namespace {

using namespace literals;

TEST(Quantity, CombinesDimensions) {
  static_assert(std::is_same_v<decltype(1_J / 1_s), Watts>);
  static_assert(std::is_same_v<decltype(85_W * 2_s), Joules>);
  static_assert(std::is_same_v<decltype(2_s / 1_s), double>);
  static_assert(std::is_same_v<decltype(Bytes(1) / 1_s), BytesPerSecond>);
  EXPECT_DOUBLE_EQ((85_W * 2_s).si(), 170.0);
  EXPECT_DOUBLE_EQ((1.5_kJ).in(1_J), 1500.0);
  EXPECT_DOUBLE_EQ((2_ms).in(1_us), 2000.0);
  EXPECT_LT(1_ms, 1_s);
  EXPECT_EQ(1410_MHz, (Clock{1410}));
}

TEST(Quantity, DoesNotMixDimensions) {
  static_assert(!std::is_invocable_v<std::plus<>, Seconds, Joules>);
  static_assert(!std::is_convertible_v<double, Seconds>);
  static_assert(!std::is_convertible_v<Seconds, double>);
}

}  // namespace
}  // namespace kareus
