// SPDX-License-Identifier: BSD-3-Clause
// The loops over elements, in as many variants as there are vector lengths; the best one here is chosen at run time.
#pragma once

#include <cstdint>
#include <string_view>

#include <element/blocks.hpp>

namespace adaptive_heat {

using index_t = std::int64_t;

/// A source in one step.
struct convected_source {
  double radius, strength;
  double centre[3][3];  ///< at t, t + dt/2, t + dt
};

/// One convection step of a range of blocks.
struct convection {
  const block_fields* fields;
  const std::uint8_t* touches_surface;   ///< per block: has an element on the surface of the cube
  const std::int32_t* weights_of_block;  ///< per block: which of `weights`, or -1: all are one
  const block_weights* weights;
  const convected_source* sources;
  int source_count;
  double dt;
  double* average;             ///< mortar vector that weighted values are added to
  double flow[3] = {1, 1, 1};  ///< velocity in units of the one in the blocks' slopes
};

/// Where an iteration of the conjugate gradients stands: what the sums of the last one came to.
struct cg_step {
  double step = 0, beta = 0;
  int updates =
      0;  ///< so far, this one included: in the first iteration there is none, and the first one has no p, s and x yet
};
/// Two sums of a block: <r, M r> over the interior, and <z, A z> over interior and boundary.
struct cg_sums {
  double square = 0, curvature = 0;
};
/// The mortar vectors of an iteration, aligned to 64 bytes. The residual r itself is kept nowhere: it is z, divided by
/// M.
struct cg_mortars {
  double *x, *z, *p, *s, *q;
  const double* inverse_diagonal;
  std::int64_t own;  ///< points that count in sums
};

/// Every function works on blocks first … last - 1, and mortar vectors are indexed by the blocks' maps.
struct kernel_table {
  std::string_view name;
  /// u := u + dt k (classical Runge-Kutta); average += weights times the boundary values of u.
  void (*convect)(const convection&, index_t first, index_t last);
  /// With `mortar` as boundary of u: r := interior of b - A u; residual += boundary of it. That of u itself is needed
  /// no more.
  void (*residual)(const block_fields&, const double* mortar, double* residual, index_t first, index_t last);
  /// If there is an update: p := M r + beta p, s := q + beta s, u += step p, r -= step s, all inside. Then z := M r
  /// inside, `mortar` on the boundary, q := interior of A z, product += boundary of it. sums[block] = those of each
  /// block.
  void (*iterate)(const block_fields&, const cg_step&, const double* mortar, double* product, index_t first,
                  index_t last, cg_sums* sums);
  /// Interior of u += step (M r + beta p); boundary of u := mortar.
  void (*add_solution)(const block_fields&, const cg_step&, const double* mortar, index_t first, index_t last);
  /// Of one block of functions, [point][simd_lane]: stiffness without its factor visc h / 2, and mass without (h / 2)^3
  /// / dt.
  void (*operate)(const double* u, double* stiffness, double* mass);

  // Points first … last - 1 of vectors of mortar points, up to the next multiple of 8; first is one.

  /// If there is an update: p := z + beta p, s := q + beta s, x += step p, z -= step M s; else z, which holds r, := M
  /// r. Then q := 0. Returns <r, z> over those points that are own.
  double (*iterate_mortars)(const cg_mortars&, const cg_step&, index_t first, index_t last);
};

/// The fastest that this processor has. NEARFAR_HEAT_KERNELS=plain|avx2|avx512 takes another one.
/// @throws nearfar::usage_error if that cannot be had
const kernel_table& kernels(int order);

/// Null where the processor or the build lacks it.
const kernel_table* kernels_named(std::string_view name, int order);

// Each in a file of its own per order, which CMakeLists.txt makes.
namespace plain {
template <int N>
const kernel_table* find();
}
namespace avx2 {
template <int N>
const kernel_table* find();
}
namespace avx512 {
template <int N>
const kernel_table* find();
}

}  // namespace adaptive_heat
