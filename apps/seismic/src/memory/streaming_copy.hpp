// SPDX-License-Identifier: BSD-3-Clause
// Copies that are not read again soon: past the caches, where the processor can.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <nearfar/box.hpp>

namespace seismic {

/// Memory that is written past the caches is not read before: two thirds of the traffic of an ordinary copy. Other
/// threads see it after streaming_end() of this one.
inline void streaming_copy(float* to, const float* from, nearfar::index_t count) {
#if defined(__SSE2__)
  constexpr nearfar::index_t simd_lanes = 4;
  const auto misplaced =
      static_cast<nearfar::index_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(float)) % simd_lanes;
  const nearfar::index_t head = std::min(count, misplaced == 0 ? 0 : simd_lanes - misplaced);
  std::copy_n(from, head, to);
  nearfar::index_t i = head;
  for (; i + simd_lanes <= count; i += simd_lanes) _mm_stream_ps(to + i, _mm_loadu_ps(from + i));
  std::copy_n(from + i, count - i, to + i);
#else
  std::copy_n(from, count, to);
#endif
}

inline void streaming_end() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace seismic
