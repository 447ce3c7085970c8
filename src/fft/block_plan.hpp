// SPDX-License-Identifier: BSD-3-Clause
// How a step of transforms goes through a rank's part: block by block, each small enough for the cache, one axis after the other.
#pragma once

#include "lines.hpp"
#include "stage.hpp"

namespace nearfar::fft {

using offsets = std::array<index, max_dimensions>;

/// Where elements lie between the transforms of two axes of a block.
struct block_place {
  enum class memory { in, out, first_scratch, second_scratch };
  memory where = memory::in;
  offsets extents{},
      strides{};  ///< of one block's elements; the axis that is cut into blocks counts as many as a block has
  bool is_complex = false;
};

/// Of one step on one rank. The rank's part is cut along one axis, if any, that is not transformed; in GPU memory it is one block.
struct block_plan {
  block_plan(const stage_context& context, const step& what, index real_bytes);

  bool is_empty() const noexcept { return total == 0; }
  /// The job of axis number i of the step on a block of `thickness`.
  line_job job(std::size_t i, index thickness) const;

  const fft_shape* shape;
  bool is_backward, is_nyquist_kept;
  int dimensions;
  std::vector<int> axes;
  int cut = -1;                       ///< the axis that is cut; -1: one block
  index thickness = 1, total = 0;     ///< elements along it, of a block and in all; 1 and 1 without such an axis
  index in_begin = 0, out_begin = 0;  ///< elements from the start of a field to the rank's part
  std::vector<block_place> places;    ///< before, between, after: one more than axes
  std::array<index, 2> scratch_bytes{};

 private:
  void choose_cut(const step& what, const box& own);
  void place_all(const step& what, index real_bytes, bool is_one_block);
  void place_between(std::size_t i, const step& what);
  block_place dense(const offsets& extents, bool is_complex, const std::vector<int>& order) const;
};

}  // namespace nearfar::fft
