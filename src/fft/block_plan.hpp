// SPDX-License-Identifier: BSD-3-Clause
// How a step of transforms traverses a rank's part: in blocks that fit the cache, one axis after the other.
#pragma once

#include "lines.hpp"
#include "stage.hpp"

namespace nearfar::fft {

using offsets = std::array<index_t, max_dimensions>;

/// Where elements lie between the transforms of two axes of a block.
struct block_place {
  enum class memory { in, out, first_scratch, second_scratch };
  memory where = memory::in;
  offsets extents{},
      strides{};  ///< of one block's elements; the axis that is cut into blocks counts as many as a block has
  bool is_complex = false;
};

/// How the output is stored: as engines do, past the caches by the engine itself, or from a scratch by copies past the
/// caches. With such copies lines that are not contiguous in the input are copied to a scratch, too, whose rows fall on
/// different places of the caches: FFTW takes 19 ms instead of 31 for 128 x 256 lines of 256 complex numbers that are 4
/// kB apart.
enum class block_stores { ordinary, past_caches, copied_past_caches };

/// Of one step on one rank. The rank's part is cut along one axis, if any, that is not transformed; in GPU memory it is
/// one block.
struct block_plan {
  block_plan(const stage_context& context, const step& what, index_t real_bytes, block_stores how);

  bool is_empty() const noexcept { return total == 0; }
  /// The job of axis number i of the step on a block of `thickness`.
  line_job job(std::size_t i, index_t thickness) const;

  bool is_input_copied() const noexcept { return !places.empty() && places.front().where != block_place::memory::in; }
  /// Loops over rows of a block, in bytes, that copy from one place to another of as many elements; the innermost is a
  /// row.
  std::vector<fourier::loop> rows_between(const block_place& from, const block_place& to, index_t thickness) const;

  const fft_shape* shape;
  index_t real_bytes;
  bool is_backward, is_nyquist_kept;
  block_stores stores;
  int dimensions;
  std::vector<int> axes;
  int cut = -1;                         ///< the axis that is cut; -1: one block
  index_t thickness = 1, total = 0;     ///< elements along it, of a block and in all; 1 and 1 without such an axis
  index_t in_begin = 0, out_begin = 0;  ///< elements from the start of a field to the rank's part
  std::vector<block_place> places;      ///< before, between, after: one more than axes
  block_place source,
      result;  ///< of the input and of the output: the first place and the last, unless these are copies
  std::array<index_t, 2> scratch_bytes{};

 private:
  index_t element_bytes(bool is_complex) const noexcept { return real_bytes * (is_complex ? 2 : 1); }
  void choose_cut(const step& what, const box& own);
  void place_all(const step& what, bool is_one_block);
  void reserve_scratch();
  block_place place_after(std::size_t i, const step& what) const;
  block_place dense(const offsets& extents, bool is_complex, const std::vector<int>& order) const;
};

}  // namespace nearfar::fft
