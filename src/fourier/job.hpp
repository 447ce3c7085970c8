// SPDX-License-Identifier: BSD-3-Clause
// The interface between common code and the kernels of the instruction sets. Plain structs only: kernels are compiled
// for other processors than the rest, and the linker must not take a shared function from them.
#pragma once

#include <fourier/line_shape.hpp>

#include "factorisation.hpp"

namespace nearfar::fourier {

constexpr int most_simd_lanes = 16;

/// Some elements of the lines of a bundle: element k of SIMD lane l is at simd_lane[l] + offset + (k - begin) * stride,
/// all counted in Real.
template <class Real>
struct simd_lane_piece {
  index_t begin, end, stride;
  index_t ahead;   ///< from a SIMD lane to the same one of the next bundle
  index_t offset;  ///< of this bundle from the one that the addresses are of
  Real* simd_lane[most_simd_lanes];
};

/// How far away the memory of a side is: in a cache; in memory, so that it pays to ask for what the next bundle needs;
/// or so far that it is stored by stores that go past the caches, for which addresses are multiples of a cache line.
enum class reach { near, far, past_caches };

/// One side of a bundle.
template <class Real>
struct bundle_side {
  const simd_lane_piece<Real>* pieces = nullptr;
  index_t piece_count = 0;
  index_t length = 0;        ///< elements of a line
  int components = 2;        ///< reals of an element
  bool is_reversed = false;  ///< element k is row (n - k) mod n: turns forward into backward
  reach how_far = reach::far;
  Real** rows = nullptr;  ///< addresses of the rows of elements if the SIMD lanes are side by side; otherwise null
  index_t offset = 0;     ///< of this bundle from the one that the rows are of
};

/// Tables of the kinds on reals.
template <class Real>
struct real_factorisation {
  kind what = kind::forward;
  index_t length = 1;      ///< of the line
  index_t inner = 1;       ///< of the real transform that is made of it, or of the complex one (fourth kinds)
  bool is_halved = false;  ///< pairs of reals are taken as complex numbers
  const factorisation<Real>* complex = nullptr;
  const Real* halving = nullptr;  ///< [inner/4 + 1][2]: exp(-2 pi i k / inner)
  const Real* turning =
      nullptr;  ///< roots for cosines and sines: exp(-i pi k / 2n) for kinds two and three; see own_tables.cpp for four
};

/// Which of the lines side by side SIMD lane `p` of complex rows is: vectors are taken apart within 16 bytes, which is
/// cheap, and SIMD lanes come as they fall. Bits of results do not depend on the SIMD lane.
template <class Real>
constexpr int line_of_simd_lane(int p, int simd_lanes) {
  constexpr int per = sizeof(Real) == 8 ? 1 : 2;  // complex numbers in 16 bytes
  const int block = p / (2 * per), place = p % (2 * per);
  return block * per + place % per + (place < per ? 0 : simd_lanes / 2);
}

template <class Real>
struct job {
  const factorisation<Real>* complex = nullptr;     ///< forward, backward
  const real_factorisation<Real>* reals = nullptr;  ///< the other kinds
  bundle_side<Real> in, out;
  int active = 0;           ///< SIMD lanes that are stored
  Real* workspace[3] = {};  ///< of rows_needed() complex rows each
};

template <class Real>
struct kernels {
  const char* name;
  int simd_lanes;
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
