// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <base/test_values.hpp>
#include <transpose/side.hpp>
#include <transpose/test_values.hpp>

namespace nearfar {

void fill_with_test_values(const std::vector<transpose_side>& sides, index_t fields, std::size_t element_bytes,
                           const std::vector<void*>& starts) {
  index_t bytes = 0;
  for (const transpose_side& side : sides)
    bytes = std::max(bytes, array_bytes(side, shape_of(side), fields, as_index(element_bytes)));
  for (void* const start : starts) fill_with_test_values(static_cast<std::byte*>(start), bytes);
}

}  // namespace nearfar
