// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory/streaming_copy.hpp>
#include <solver/frame.hpp>

namespace seismic {

namespace {

void copy_planes(const float* p, const std::array<index_t, 3>& strides, const frame_part& part, index_t begin,
                 index_t end) {
  for (index_t k = begin; k < end; ++k)
    for (index_t j = 0; j < part.counts[1]; ++j) {
      const float* const from = p + (part.first[0] + k * part.stride[0]) * strides[0] +
                                (part.first[1] + j * part.stride[1]) * strides[1] + part.first[2];
      auto* const row = reinterpret_cast<float*>(part.to + k * part.to_strides_bytes[0] + j * part.to_strides_bytes[1]);
      if (part.stride[2] == 1)
        streaming_copy(row, from, part.counts[2]);
      else
        for (index_t i = 0; i < part.counts[2]; ++i) row[i] = from[i * part.stride[2]];
    }
  streaming_end();
}

}  // namespace

frame_part within(const frame_part& whole, const block_rows& rows) {
  frame_part part = whole;
  const auto cut = [&](std::size_t d, index_t begin, index_t end) {
    const auto number = [&](index_t at) {
      const index_t behind = at - whole.first[d];
      return behind <= 0 ? 0 : std::min((behind + whole.stride[d] - 1) / whole.stride[d], whole.counts[d]);
    };
    const index_t first = number(begin);
    part.first[d] += first * whole.stride[d], part.to += first * whole.to_strides_bytes[d];
    part.counts[d] = std::max<index_t>(number(end) - first, 0);
  };
  cut(0, rows.z_begin, rows.z_end), cut(1, rows.y_begin, rows.y_end);
  return part;
}

void copy_frame(const float* p, const std::array<index_t, 3>& strides, const frame_part& part) {
  copy_planes(p, strides, part, 0, part.counts[0]);
}

void copy_frame(const float* p, const std::array<index_t, 3>& strides, const frame_part& part, int threads) {
  const index_t planes = part.counts[0];
#pragma omp parallel for schedule(static) num_threads(threads)
  for (index_t k = 0; k < planes; ++k) copy_planes(p, strides, part, k, k + 1);
}

}  // namespace seismic
