#include "profile/counter_fit.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace kareus::profile {

void CounterFit::add(Seconds moment, Joules counter, Seconds bracket) {
  if (count_ == 0) {
    first_time_ = moment.si();
    first_joules_ = counter.si();
  }
  const double t = moment.si() - first_time_;
  const double e = counter.si() - first_joules_;
  last_time_ = t;
  ++count_;
  sum_t_ += t;
  sum_e_ += e;
  sum_tt_ += t * t;
  sum_te_ += t * e;
  sum_ee_ += e * e;
  sum_bracket_ += bracket.si() * bracket.si();
}

double CounterFit::slope() const {
  const auto n = static_cast<double>(count_);
  return (sum_te_ - sum_t_ * sum_e_ / n) / (sum_tt_ - sum_t_ * sum_t_ / n);
}

Watts CounterFit::power() const {
  return Watts(slope());
}

double CounterFit::interval() const {
  if (count_ < 3) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(count_);
  const double freedom = n - 2.0;
  const double spread = sum_tt_ - sum_t_ * sum_t_ / n;
  const double b = slope();
  const double residuals = std::max(0.0, sum_ee_ - sum_e_ * sum_e_ / n - b * b * spread) / freedom;
  const double brackets = b * b * sum_bracket_ / n / 12.0;
  const double quantile = boost::math::quantile(boost::math::students_t(freedom), 0.975);
  return quantile * std::sqrt(std::max(residuals, brackets) / spread) / std::abs(b);
}

}  // namespace kareus::profile
