// SPDX-License-Identifier: BSD-3-Clause
// Which kernel copies planes of elements of a size, and the one for sizes that fill no vectors.
#include "plane.hpp"

#include <algorithm>
#include <cstring>

namespace nearfar::exchange {

namespace {

constexpr index block_bytes = 512;  // of a row: as many columns are read side by side

template <std::size_t Bytes>
void copy_elements(std::byte* to, const std::byte* from, index from_step, index count) {
  for (index j = 0; j < count; ++j, to += Bytes, from += from_step) std::memcpy(to, from, Bytes);
}

void copy_row(std::byte* to, const std::byte* from, index from_step, index count, index element_bytes) {
  switch (element_bytes) {
    case 1:
      return copy_elements<1>(to, from, from_step, count);
    case 2:
      return copy_elements<2>(to, from, from_step, count);
    case 4:
      return copy_elements<4>(to, from, from_step, count);
    case 8:
      return copy_elements<8>(to, from, from_step, count);
    case 12:
      return copy_elements<12>(to, from, from_step, count);
    case 16:
      return copy_elements<16>(to, from, from_step, count);
    case 24:
      return copy_elements<24>(to, from, from_step, count);
    case 32:
      return copy_elements<32>(to, from, from_step, count);
    case 48:
      return copy_elements<48>(to, from, from_step, count);
    default:
      for (index j = 0; j < count; ++j)
        std::memcpy(to + j * element_bytes, from + j * from_step, as_size(element_bytes));
  }
}

}  // namespace

void copy_plane_of_any(const plane& p, index element_bytes, bool) {
  const index block = std::max(block_bytes / element_bytes, index{1});
  for (index b = 0; b < p.columns; b += block) {
    const index count = std::min(block, p.columns - b);
    for (index i = 0; i < p.rows; ++i)
      copy_row(p.to + i * p.to_step + b * element_bytes, p.from + i * element_bytes + b * p.from_step, p.from_step,
               count, element_bytes);
  }
}

plane_kernel plane_kernel_for(index element_bytes) {
  for (const auto find : {avx512::find, avx2::find, plain::find})
    if (const plane_kernel kernel = find(element_bytes)) return kernel;
  return copy_plane_of_any;
}

}  // namespace nearfar::exchange
