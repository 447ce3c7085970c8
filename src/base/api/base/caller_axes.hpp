// SPDX-License-Identifier: BSD-3-Clause
// Names of axes in messages, in the numbering of the calling language: C++ and C from 0, slowest first; Fortran from 1,
// fastest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nearfar {

/// How axes are listed and numbered; indices start where axes do.
enum class axis_names { from_zero_slowest_first, from_one_fastest_first };

/// Of the call that this thread is in. Bindings of other languages set it before a call and reset it after.
axis_names caller_axes() noexcept;
void set_caller_axes(axis_names names) noexcept;

/// The number by which the caller knows axis `axis` (from 0, slowest first) of `axes`.
std::int64_t axis_number(std::int64_t axis, std::int64_t axes) noexcept;
std::int64_t place_number(std::int64_t place) noexcept;                ///< of a list's entry `place` (from 0)
std::string axis_range(std::int64_t axes);                             ///< "0 to 2"; "1 to 3"
std::string index_range(std::int64_t lower, std::int64_t upper);       ///< of a half-open range: "[0,4)"; "1:4"
std::string index_in_words(const std::vector<std::int64_t>& index_t);  ///< of an element: "(0, 4, 2)"; "(3, 5, 1)"
std::string memory_order_in_words(
    const std::vector<int>& slowest_first);  ///< "slow to fast (0, 1)"; "fast to slow (1, 2)"

/// A list with a value per axis, slowest first, as the caller would write it.
template <class List>
List in_callers_order(List per_axis) {
  if (caller_axes() == axis_names::from_one_fastest_first) std::reverse(per_axis.begin(), per_axis.end());
  return per_axis;
}

}  // namespace nearfar
