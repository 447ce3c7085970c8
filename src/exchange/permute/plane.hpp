// SPDX-License-Identifier: BSD-3-Clause
// Copies a plane of elements whose fast direction differs between source and destination: a transposition in memory.
// Also copies long runs by non-temporal stores.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>

namespace nearfar::exchange {

/// Element (row, column) lies at `to + row * to_step + column * element_bytes` and at `from + row * element_bytes +
/// column * from_step`. Several such planes may lie one after the other, each side with its own step.
struct plane {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  index_t to_step = 0, from_step = 0;  ///< bytes from row to row, and from column to column
  index_t rows = 0, columns = 0;
  const std::byte* next_from =
      nullptr;  ///< the source of the plane after these, which is asked for ahead; null: none follows
  index_t layers = 1, to_layer_step = 0, from_layer_step = 0;
};

/// Calls body(plane) for each layer by itself.
template <class Body>
void for_layers(const plane& p, Body body) {
  plane one = p;
  one.layers = 1;
  for (index_t layer = 0; layer < p.layers; ++layer) {
    one.next_from = layer + 1 < p.layers ? one.from + p.from_layer_step : p.next_from;
    body(one);
    one.to += p.to_layer_step, one.from += p.from_layer_step;
  }
}

/// `count` runs of `run_bytes` bytes, each side with its own step.
struct run_list {
  std::byte* to = nullptr;
  index_t to_step = 0;
  const std::byte* from = nullptr;
  index_t from_step = 0, count = 0, run_bytes = 0;
};

/// Copies planes of elements of one size. `past_caches`: whole lines are stored past the caches where rows start alike
/// in lines (near/past_caches.hpp); near::finish_past_caches() before others may read.
using plane_kernel = void (*)(const plane& p, index_t element_bytes, bool past_caches);

/// The fastest kernel that this processor has for elements of this size: 4, 8, 16 and 32 bytes go through registers in
/// whole lines.
plane_kernel plane_kernel_for(index_t element_bytes);

/// Copies runs; whole lines of the destination are stored past the caches. near::finish_past_caches() before others may
/// read.
using run_kernel = void (*)(const run_list& r);

/// The fastest that this processor has.
run_kernel run_kernel_past_caches();

/// The kernels of each instruction set, for tests: null where this processor or this build has none, or for other sizes
/// than those four.
namespace plain {
plane_kernel find(index_t element_bytes);
run_kernel find_past_caches();
}  // namespace plain
namespace avx2 {
plane_kernel find(index_t element_bytes);
run_kernel find_past_caches();
}  // namespace avx2
namespace avx512 {
plane_kernel find(index_t element_bytes);
run_kernel find_past_caches();
}  // namespace avx512
/// Any size, element by element.
void copy_plane_of_any(const plane& p, index_t element_bytes, bool past_caches);

}  // namespace nearfar::exchange
