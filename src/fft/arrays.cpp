// SPDX-License-Identifier: BSD-3-Clause
// Checks of the caller's arrays against the sides that they are to have.
#include "arrays.hpp"

#include <algorithm>
#include <base/test_values.hpp>
#include <cstring>

namespace nearfar::fft {
void check_arrays(const std::string& title, const array_side& side, const transpose_arrays& arrays) {
  check_arrays(title, side.wanted(), arrays);
}

bool check_overlaps(const std::string& title, const array_side& a, const transpose_arrays& a_arrays,
                    const array_side& b, const transpose_arrays& b_arrays) {
  const bool is_in_place = check_overlaps(title, a.wanted(), a_arrays, b.wanted(), b_arrays);
  check_distinct(title, a.wanted(), a_arrays);
  check_distinct(title, b.wanted(), b_arrays);
  return is_in_place;
}

saved_arrays::saved_arrays(const array_side& side, const transpose_arrays& arrays) {
  const index_t bytes = side.wanted().field_bytes();
  for (index_t i = 0; i < side.fields && bytes > 0; ++i) {
    fields_.push_back(field_of(side.lies.side, arrays, as_size(i)));
    const auto* begin = static_cast<const char*>(fields_.back());
    bytes_.emplace_back(begin, begin + bytes);
  }
}

saved_arrays::~saved_arrays() {
  for (std::size_t i = 0; i < fields_.size(); ++i) std::memcpy(fields_[i], bytes_[i].data(), bytes_[i].size());
}

numbers_for_zeros::numbers_for_zeros(const array_side& side, const transpose_arrays& arrays)
    : bytes_(side.wanted().field_bytes()) {
  for (index_t i = 0; i < side.fields && bytes_ > 0; ++i)
    fields_.push_back(static_cast<std::byte*>(field_of(side.lies.side, arrays, as_size(i))));
  const auto holds_zeros = [&](const std::byte* field) { return are_zeros(field, bytes_); };
  if (!std::all_of(fields_.begin(), fields_.end(), holds_zeros)) fields_.clear();
  for (std::byte* field : fields_) fill_with_test_values(field, bytes_);
}

numbers_for_zeros::~numbers_for_zeros() {
  for (std::byte* field : fields_) std::memset(field, 0, as_size(bytes_));
}

}  // namespace nearfar::fft
