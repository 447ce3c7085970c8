// SPDX-License-Identifier: BSD-3-Clause
// The loops over elements, in as many variants as there are vector lengths; the best one here is chosen at run time.
#pragma once

#include <cstdint>
#include <string_view>

#include <element/blocks.hpp>

namespace adaptive_heat {

using index = std::int64_t;

/// One convection step of a range of blocks.
struct convection {
  const block_fields* fields;
  const std::uint8_t* touches_surface;   ///< per block: has an element on the surface of the cube
  const std::int32_t* weights_of_block;  ///< per block: which of `weights`, or -1: all are one
  const block_weights* weights;
  double alpha, dt;
  double centre[3][3];         ///< of the ball at t, t + dt/2, t + dt
  double* average;             ///< mortar vector that weighted values are added to
  double flow[3] = {1, 1, 1};  ///< velocity in units of the one in the blocks' slopes
  double strength = 1;         ///< of the source
};

/// Every function works on blocks first … last - 1, and mortar vectors are indexed by the blocks' maps.
struct kernel_table {
  std::string_view name;
  /// u := u + dt k (classical Runge-Kutta); average += weights times the boundary values of u.
  void (*convect)(const convection&, index first, index last);
  /// Boundary of u := mortar; r := interior of b - A u; residual += boundary of it. Returns <r, M r> over the interior.
  double (*residual)(const block_fields&, const double* mortar, double* residual, index first, index last);
  /// p := M r + beta p; q := interior of A (p, mortar); product += boundary of it. Returns <(p, mortar), A (p, mortar)>, which
  /// over all elements is <p, q> of the assembled system.
  double (*apply)(const block_fields&, double beta, const double* mortar, double* product, index first, index last);
  /// x += step p (x = step p if `is_first`), r -= step q. Returns <r, M r> over the interior.
  double (*advance)(const block_fields&, double step, bool is_first, index first, index last);
  /// Interior of u += x; boundary of u = mortar.
  void (*add_solution)(const block_fields&, const double* mortar, index first, index last);
  /// Of one block of functions, [volume][lane]: stiffness without its factor visc h / 2, and mass without (h / 2)^3 / dt.
  void (*operate)(const double* u, double* stiffness, double* mass);

  // Vectors of mortar points, aligned to 64 bytes, `count` values; but for the sums, up to the next multiple of 8.
  double (*weighted_square)(const double* r, const double* inverse_diagonal, index count);  ///< <r, M r>
  /// x += step p (x = step p if `is_first`), r -= step q, q = 0. Returns <r, M r> over the first `own` points.
  double (*advance_mortars)(double* x, double* r, const double* p, double* q, const double* inverse_diagonal,
                            double step, bool is_first, index own, index count);
  /// p := M r + beta p.
  void (*direct_mortars)(double* p, const double* r, const double* inverse_diagonal, double beta, index count);
  void (*add)(double* to, const double* values, index count);
  void (*scale)(double* values, const double* factors, index count);
};

/// The fastest that this processor has. NEARFAR_HEAT_KERNELS=plain|avx2|avx512 takes another one.
/// @throws nearfar::usage_error if that cannot be had
const kernel_table& kernels();

const kernel_table* kernels_named(std::string_view name);  ///< null where the processor or the build lacks it

namespace plain {
const kernel_table* find();
}
namespace avx2 {
const kernel_table* find();
}
namespace avx512 {
const kernel_table* find();
}

}  // namespace adaptive_heat
