#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kareus::report {

/// The value, which must be finite.
double finite(double value);
/// The value with seven digits: finer than any sensor, and small on the page.
double rounded(double value);

/// Distinct values in order of first use, written once and referred to by index.
template <class T>
class Distinct {
 public:
  std::size_t index_of(const T& value) {
    const auto index = static_cast<std::size_t>(std::find(values_.begin(), values_.end(), value) - values_.begin());
    if (index == values_.size()) values_.push_back(value);
    return index;
  }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
};

}  // namespace kareus::report
