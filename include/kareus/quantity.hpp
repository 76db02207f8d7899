#pragma once

#include <compare>
#include <cstdint>

namespace kareus {

/// Exponents of the base dimensions of a quantity.
struct Dimension {
  int time = 0;
  int energy = 0;
  int data = 0;
  int work = 0;  ///< floating-point operations

  friend constexpr Dimension operator+(Dimension a, Dimension b) {
    return {a.time + b.time, a.energy + b.energy, a.data + b.data, a.work + b.work};
  }
  friend constexpr Dimension operator-(Dimension a, Dimension b) {
    return {a.time - b.time, a.energy - b.energy, a.data - b.data, a.work - b.work};
  }
  friend constexpr bool operator==(Dimension, Dimension) = default;
};

/// A physical quantity held in SI units (seconds, joules, bytes, operations). Products and quotients combine
/// dimensions; sums need equal ones; a dimensionless result is a plain double.
template <Dimension D>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  /// The value in SI units, for output and for arithmetic that leaves the type system.
  constexpr double si() const { return value_; }
  /// The value in the given unit: `energy.in(1_kJ)`.
  constexpr double in(Quantity unit) const { return value_ / unit.value_; }

  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  constexpr Quantity& operator*=(double factor) {
    value_ *= factor;
    return *this;
  }
  constexpr Quantity& operator/=(double factor) {
    value_ /= factor;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double b) { return Quantity(a.value_ * b); }
  friend constexpr Quantity operator*(double a, Quantity b) { return Quantity(a * b.value_); }
  friend constexpr Quantity operator/(Quantity a, double b) { return Quantity(a.value_ / b); }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  double value_ = 0.0;
};

template <Dimension A, Dimension B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  if constexpr (A + B == Dimension{})
    return a.si() * b.si();
  else
    return Quantity<A + B>(a.si() * b.si());
}

template <Dimension A, Dimension B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  if constexpr (A == B)
    return a.si() / b.si();
  else
    return Quantity<A - B>(a.si() / b.si());
}

using Seconds = Quantity<Dimension{.time = 1}>;
using Joules = Quantity<Dimension{.energy = 1}>;
using Watts = Quantity<Dimension{.time = -1, .energy = 1}>;
using Bytes = Quantity<Dimension{.data = 1}>;
using Flops = Quantity<Dimension{.work = 1}>;
using BytesPerSecond = Quantity<Dimension{.time = -1, .data = 1}>;
using FlopsPerSecond = Quantity<Dimension{.time = -1, .work = 1}>;

/// A temperature; a point on a scale, so there is no arithmetic on it but the difference in kelvin.
struct Celsius {
  double degrees = 0.0;
  friend constexpr auto operator<=>(Celsius, Celsius) = default;
};

/// GPU core clock. Clocks are the discrete values that a device lists, hence whole megahertz.
struct Clock {
  int mhz = 0;
  friend constexpr auto operator<=>(Clock, Clock) = default;
};

/// Number of streaming multiprocessors given to a communication kernel.
struct SmCount {
  int value = 0;
  friend constexpr auto operator<=>(SmCount, SmCount) = default;
};

namespace literals {
constexpr Seconds operator""_s(long double v) {
  return Seconds(static_cast<double>(v));
}
constexpr Seconds operator""_s(unsigned long long v) {
  return Seconds(static_cast<double>(v));
}
constexpr Seconds operator""_ms(long double v) {
  return Seconds(static_cast<double>(v) * 1e-3);
}
constexpr Seconds operator""_ms(unsigned long long v) {
  return Seconds(static_cast<double>(v) * 1e-3);
}
constexpr Seconds operator""_us(long double v) {
  return Seconds(static_cast<double>(v) * 1e-6);
}
constexpr Seconds operator""_us(unsigned long long v) {
  return Seconds(static_cast<double>(v) * 1e-6);
}
constexpr Joules operator""_J(long double v) {
  return Joules(static_cast<double>(v));
}
constexpr Joules operator""_J(unsigned long long v) {
  return Joules(static_cast<double>(v));
}
constexpr Joules operator""_kJ(long double v) {
  return Joules(static_cast<double>(v) * 1e3);
}
constexpr Joules operator""_kJ(unsigned long long v) {
  return Joules(static_cast<double>(v) * 1e3);
}
constexpr Watts operator""_W(long double v) {
  return Watts(static_cast<double>(v));
}
constexpr Watts operator""_W(unsigned long long v) {
  return Watts(static_cast<double>(v));
}
constexpr Bytes operator""_B(unsigned long long v) {
  return Bytes(static_cast<double>(v));
}
constexpr Clock operator""_MHz(unsigned long long v) {
  return Clock{static_cast<int>(v)};
}
}  // namespace literals

}  // namespace kareus
