// SPDX-License-Identifier: BSD-3-Clause
// Frames of a field: the points that are asked for, and the same ones block by block.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <solver/frame.hpp>
#include <vector>

namespace seismic {
namespace {

constexpr index_t nz = 11, ny = 9, nx = 14;
constexpr std::array<index_t, 3> strides{ny * nx, nx, 1};
constexpr float untouched = -1;

/// Values are numbers of points.
std::vector<float> field() {
  std::vector<float> p(static_cast<std::size_t>(nz * ny * nx));
  std::iota(p.begin(), p.end(), 0.0f);
  return p;
}

/// A place for each point of a part, one behind the other, rows three floats apart.
struct frame {
  explicit frame(frame_part of) : part(of) {
    const index_t row = part.counts[2] + 3;
    values.assign(static_cast<std::size_t>(part.counts[0] * part.counts[1] * row), untouched);
    part.to = reinterpret_cast<char*>(values.data());
    constexpr auto bytes = static_cast<index_t>(sizeof(float));
    part.to_strides_bytes = {part.counts[1] * row * bytes, row * bytes, bytes};
  }
  float at(index_t k, index_t j, index_t i) const {
    return values[static_cast<std::size_t>((k * part.counts[1] + j) * (part.counts[2] + 3) + i)];
  }
  frame_part part;
  std::vector<float> values;
};

const std::array<frame_part, 3> parts{{{{0, 0, 0}, {nz, ny, nx}, {1, 1, 1}, nullptr, {}},
                                       {{2, 1, 3}, {4, 3, 8}, {2, 3, 1}, nullptr, {}},
                                       {{1, 0, 0}, {5, 9, 5}, {2, 1, 3}, nullptr, {}}}};

TEST(Frame, has_every_stride_th_point_of_its_part) {
  const std::vector<float> p = field();
  for (const frame_part& part : parts) {
    frame whole(part);
    copy_frame(p.data(), strides, whole.part, 2);
    for (index_t k = 0; k < part.counts[0]; ++k)
      for (index_t j = 0; j < part.counts[1]; ++j) {
        for (index_t i = 0; i < part.counts[2]; ++i)
          EXPECT_EQ(whole.at(k, j, i), static_cast<float>((part.first[0] + k * part.stride[0]) * strides[0] +
                                                          (part.first[1] + j * part.stride[1]) * strides[1] +
                                                          part.first[2] + i * part.stride[2]));
        EXPECT_EQ(whole.at(k, j, part.counts[2]), untouched);
      }
  }
}

TEST(Frame, comes_out_the_same_block_by_block) {
  const std::vector<float> p = field();
  for (const frame_part& part : parts)
    for (const index_t planes : {1, 3, 4})
      for (const index_t rows : {1, 2, 5}) {
        frame whole(part), pieces(part);
        copy_frame(p.data(), strides, whole.part);
        for (index_t k = 0; k < nz; k += planes)
          for (index_t j = 0; j < ny; j += rows)
            copy_frame(p.data(), strides,
                       within(pieces.part, {k, std::min(k + planes, nz), j, std::min(j + rows, ny)}));
        EXPECT_EQ(pieces.values, whole.values) << planes << " planes, " << rows << " rows";
      }
}

TEST(Frame, takes_of_a_block_its_own_points_alone) {
  const std::vector<float> p = field();
  frame some(parts[1]);  // planes 2, 4, 6, 8; rows 1, 4, 7
  copy_frame(p.data(), strides, within(some.part, {5, 9, 2, 5}));
  for (index_t k = 0; k < 4; ++k)
    for (index_t j = 0; j < 3; ++j) EXPECT_EQ(some.at(k, j, 0) != untouched, k >= 2 && j == 1) << k << ' ' << j;
  for (const block_rows& none : {block_rows{0, 2, 0, ny}, block_rows{9, nz, 0, ny}, block_rows{0, nz, 5, 7}}) {
    const frame_part nothing = within(some.part, none);
    EXPECT_EQ(nothing.counts[0] * nothing.counts[1], 0);
  }
}

}  // namespace
}  // namespace seismic
