// SPDX-License-Identifier: BSD-3-Clause
// What common code and the kernels of the instruction sets tell each other. Plain structs only: kernels are compiled for other
// processors than the rest, and no function that both have may come from there.
#pragma once

#include <fourier/line_shape.hpp>

#include "recipe.hpp"

namespace nearfar::fourier {

constexpr int most_lanes = 16;

/// Some elements of the lines of a bundle: element k of lane l is at lane[l] + (k - begin) * stride, all counted in Real.
template <class Real>
struct lane_piece {
  index begin, end, stride;
  index ahead;  ///< from a lane to the same one of the next bundle
  Real* lane[most_lanes];
};

/// One side of a bundle.
template <class Real>
struct bundle_side {
  const lane_piece<Real>* pieces = nullptr;
  index piece_count = 0;
  index length = 0;          ///< elements of a line
  int components = 2;        ///< reals of an element
  bool is_reversed = false;  ///< element k is row (n - k) mod n: turns forward into backward
  bool is_past_caches =
      false;              ///< stored by stores that go past the caches; addresses are multiples of a cache line then
  Real** rows = nullptr;  ///< where the lanes are side by side: the address of each row of elements; otherwise null
};

/// Tables of the kinds on reals.
template <class Real>
struct real_recipe {
  kind what = kind::forward;
  index length = 1;        ///< of the line
  index inner = 1;         ///< of the real transform that is made of it, or of the complex one (fourth kinds)
  bool is_halved = false;  ///< pairs of reals are taken as complex numbers
  const recipe<Real>* complex = nullptr;
  const Real* halving = nullptr;  ///< [inner/4 + 1][2]: exp(-2 pi i k / inner)
  const Real* turning =
      nullptr;  ///< roots for cosines and sines: exp(-i pi k / 2n) for kinds two and three; see own_tables.cpp for four
};

template <class Real>
struct job {
  const recipe<Real>* complex = nullptr;     ///< forward, backward
  const real_recipe<Real>* reals = nullptr;  ///< the other kinds
  bundle_side<Real> in, out;
  int active = 0;      ///< lanes that are stored
  Real* room[3] = {};  ///< of rows_needed() complex rows each
};

template <class Real>
struct kernels {
  const char* name;
  int lanes;
  void (*transform)(const job<Real>&);        ///< forward and backward
  void (*transform_reals)(const job<Real>&);  ///< the other kinds
};

namespace plain {
extern const kernels<float> for_float;
extern const kernels<double> for_double;
}  // namespace plain
namespace avx2 {
bool is_usable();
extern const kernels<float> for_float;
extern const kernels<double> for_double;
}  // namespace avx2
namespace avx512 {
bool is_usable();
extern const kernels<float> for_float;
extern const kernels<double> for_double;
}  // namespace avx512

}  // namespace nearfar::fourier
