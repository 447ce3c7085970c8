// SPDX-License-Identifier: BSD-3-Clause
// OpenMP, where the build has it.
#include "slices.hpp"

#include <algorithm>

namespace nearfar::irregular {

namespace {
constexpr index_t least_slice = 2048;  // below, waking a thread takes longer than the loop
constexpr index_t slice_multiple = 64;
}  // namespace

#ifdef _OPENMP
bool has_threads() noexcept { return true; }
#else
bool has_threads() noexcept { return false; }
#endif

void detail::run_in_slices(int threads, index_t count, void (*body)(void* context, index_t first, index_t count),
                           void* context) {
  const index_t slices = has_threads() ? std::clamp<index_t>(count / least_slice, 1, threads) : 1;
  if (slices == 1) return body(context, 0, count);
  const index_t step = (count + slices * slice_multiple - 1) / (slices * slice_multiple) * slice_multiple;
#ifdef _OPENMP
#pragma omp parallel for num_threads(static_cast <int>(slices)) schedule(static, 1)
#endif
  for (index_t s = 0; s < slices; ++s)
    if (const index_t first = s * step; first < count) body(context, first, std::min(step, count - first));
}

}  // namespace nearfar::irregular
