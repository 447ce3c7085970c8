// SPDX-License-Identifier: BSD-3-Clause
// The median of measured times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nearfar::tune {

/// Of at least one value.
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace nearfar::tune
