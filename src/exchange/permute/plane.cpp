// SPDX-License-Identifier: BSD-3-Clause
// Selects the kernel for planes of elements of a size; and the kernel for sizes that do not fill vectors.
#include "plane.hpp"

#include <algorithm>

#include "../copy.hpp"

namespace nearfar::exchange {

namespace {

constexpr index_t block_bytes = 512;  // of a row: as many columns are read side by side

}  // namespace

void copy_plane_of_any(const plane& p, index_t element_bytes, bool past_caches) {
  if (p.layers != 1)
    return for_layers(p, [&](const plane& layer) { copy_plane_of_any(layer, element_bytes, past_caches); });
  const index_t block = std::max(block_bytes / element_bytes, index_t{1});
  for (index_t b = 0; b < p.columns; b += block) {
    const index_t count = std::min(block, p.columns - b);
    for (index_t i = 0; i < p.rows; ++i)
      copy_runs(p.to + i * p.to_step + b * element_bytes, element_bytes, p.from + i * element_bytes + b * p.from_step,
                p.from_step, count, element_bytes);
  }
}

plane_kernel plane_kernel_for(index_t element_bytes) {
  for (const auto find : {avx512::find, avx2::find, plain::find})
    if (const plane_kernel kernel = find(element_bytes)) return kernel;
  return copy_plane_of_any;
}

run_kernel run_kernel_past_caches() {
  static const run_kernel fastest = [] {
    for (const auto find : {avx512::find_past_caches, avx2::find_past_caches})
      if (const run_kernel kernel = find()) return kernel;
    return plain::find_past_caches();
  }();
  return fastest;
}

}  // namespace nearfar::exchange
