// SPDX-License-Identifier: BSD-3-Clause
// Nearfar's engine on lines whose elements are in several places, such as the memory of several ranks: load, transform
// and store in one pass.
#pragma once

#include <fourier/line_shape.hpp>
#include <memory>
#include <span>
#include <string>

namespace nearfar::fourier {

/// Elements [begin, end) of every line: element k of line (i, j) is at base + (k - begin) * stride + i * line_stride[0]
/// + j * line_stride[1], in elements (reals or complex numbers) of that side.
template <class Pointer>
struct piece_of {
  index_t begin = 0, end = 0;
  Pointer base = nullptr;
  index_t stride = 1;
  std::array<index_t, 2> line_stride{};
};
using source_piece = piece_of<const void*>;
using target_piece = piece_of<void*>;

/// Lines i in [begin[0], end[0]), j in [begin[1], end[1]).
struct line_range {
  std::array<index_t, 2> begin{}, end{};
};

/// The own engine. Lines travel in bundles of simd_lanes() lines through a buffer in the cache: read once, stored once.
/// A line's bits depend on its numbers only: not on its neighbours, its place, or how it is cut into pieces.
/// @source Stockham autosort (as in Van Loan, Computational Frameworks for the FFT, 1992, section 1.7), vectors across
/// lines: ours
template <class Real>
class bundle_engine {
 public:
  /// @throws usage_error as check(line_shape)
  bundle_engine(kind what, index_t length);
  ~bundle_engine();

  /// How many lines side by side (line_stride[0] == 1) make a bundle; ranges cut at multiples of it waste nothing.
  int simd_lanes() const noexcept;

  /// Transforms the lines of the range. The pieces of a side cover its elements once, in ascending order. Bundles are
  /// loaded whole before they are stored, in ascending order of i, then j. Nothing is allocated once that many pieces
  /// have been seen. `past_caches`: results are stored past the caches where they fill whole lines of 64 bytes, which
  /// is faster where they would push what is needed out of the caches. They have arrived when this returns, for whoever
  /// acquires what this thread releases next.
  /// @throws usage_error if pieces have gaps
  void run(const line_range& lines, std::span<const source_piece> in, std::span<const target_piece> out,
           bool past_caches = false);

  std::string describe() const;  ///< "own avx512, 8 x 8"

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class bundle_engine<float>;
extern template class bundle_engine<double>;

}  // namespace nearfar::fourier
