// SPDX-License-Identifier: BSD-3-Clause
// Text about axes and indices for readers who number them differently: C++, C and Python from 0, slowest first; Fortran
// from 1, fastest first. What differs stands in the text both ways, between marks, until the reader is known.
#pragma once

#include <base/internals.hpp>
#include <base/text.hpp>
#include <cstdint>
#include <nearfar/box.hpp>
#include <nearfar/error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nearfar {

/// How axes are listed and numbered; indices start where axes do.
enum class axis_names { from_zero_slowest_first, from_one_fastest_first };

/// Both ways in one text, between marks.
std::string either(std::string_view from_zero, std::string_view from_one);
/// For a reader: of each either() the one, and no marks.
std::string in_names(axis_names names, std::string_view marked);
/// For C++: logs, wisdom and all that public functions return.
inline std::string from_zero(std::string_view marked) { return in_names(axis_names::from_zero_slowest_first, marked); }
/// An error's message with its marks, for another error or for a reader of another language.
inline const std::string& message_of(const error& e) noexcept { return state_of(e); }

// All of these may have marks.
std::string axis_number(std::int64_t axis, std::int64_t axes);       ///< of axis `axis` (from 0, slowest first)
std::string place_number(std::int64_t place);                        ///< of a list's entry `place` (from 0)
std::string axis_range(std::int64_t axes);                           ///< "0 to 2"; "1 to 3"
std::string index_range(std::int64_t lower, std::int64_t upper);     ///< of a half-open range: "[0,4)"; "1:4"
std::string index_in_words(const std::vector<std::int64_t>& index);  ///< of an element: "(0, 4, 2)"; "(3, 5, 1)"
std::string memory_order_in_words(
    const std::vector<int>& slowest_first);  ///< "slow to fast (0, 1)"; "fast to slow (1, 2)"
std::string box_in_words(const box& b);      ///< "[0,4)x[2,9)"; "3:9x1:4"
/// Words about each axis, slowest first, as the reader lists them.
std::string axes_in_words(const std::vector<std::string>& per_axis, std::string_view between);

/// "100 x 80"; "80 x 100".
template <class List>
std::string extents_in_words(const List& numbers) {
  std::vector<std::string> words;
  for (const auto n : numbers) words.push_back(text(n));
  return axes_in_words(words, " x ");
}

}  // namespace nearfar
