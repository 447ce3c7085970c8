// SPDX-License-Identifier: BSD-3-Clause
// One time step of each system on some planes and rows of a tile, by kernels for the processor at hand.
#pragma once

#include <array>
#include <kernels/tile_shape.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace seismic {

/// What a system of equations needs per point; all are multiplied by dt^2. Which there are, and their order:
///
/// - isotropic: vp^2
/// - fletcher_vti and fletcher_tti: vpx^2 = vp^2 (1 + 2 epsilon), vpn^2 = vp^2 (1 + 2 delta), vpz^2 = vp^2, vs^2, and
///   for tti ax, ay, az of the unit vector along the axis, these as they are
/// - self_adjoint: vp^2 with dt^2; 2 epsilon, g, sqrt(g (f - g)), 1 - f (self_adjoint_loops.hpp), ax, ay, az, and half
///   of the second differences of C's diagonal, summed over the axes: of p and p, p and m, m and m. All but the first
///   have values around the tile, too
enum class system_kind { isotropic, fletcher_vti, fletcher_tti, self_adjoint };
inline constexpr std::size_t systems = 4;
inline constexpr int most_coefficients = 11;
int coefficients_of(system_kind system) noexcept;
int fields_of(system_kind system) noexcept;  ///< 1: p; 2: p and q

/// Leap-frog: next = now + keep (now - before) + dt^2 * right-hand side, where `before` is overwritten by `next`, and
/// keep is 1 - (damping z + damping y + damping x) (sponge; a backward difference in time).
/// All pointers are to own point (0, 0, 0) of arrays of one shape.
struct step_arguments {
  tile_shape shape;
  index_t z_begin = 0, z_end = 0, y_begin = 0, y_end = 0;  ///< planes and rows to compute; x is computed whole
  std::array<const float*, 2> now{};                       ///< p, q
  std::array<float*, 2> next{};                            ///< hold the fields one step before
  std::array<const float*, most_coefficients> coefficients{};
  std::array<const float*, 3> damping{};  ///< per plane, row and point of a row (padded); none may be null
  std::array<float, 3> per_metre{};       ///< 1 over the spacing along z, y, x
  bool is_flat = false;                   ///< one point along y: no derivative there
  bool repeats = false;                   ///< along x: margins hold values; else they are zeros
  float* scratch = nullptr;               ///< of this thread, scratch_floats() long, on a cache line
};

/// Work space of one call with so many rows.
index_t scratch_floats(system_kind system, const tile_shape& shape, index_t rows) noexcept;

using step_kernel = void (*)(const step_arguments&);

/// What a pass over a slab does: the two of a step with layers, the three of its transpose, and those that follow the
/// first one in media with two fields (tilted_layers.hpp): of sides, and of edges where two sides meet.
enum class slab_pass { slope, add, weigh, weighed_slope, add_weighed, add_tilted, add_edge };

/// A pass over the absorbing slab of one side, see absorbing_loops.hpp, or of an edge. Pointers to fields are to the
/// slab's first point there, those to memories to their own; a pass of planes needs all of the pass before.
struct slab_arguments {
  tile_shape shape, slab;  ///< of the fields; of the memories, which hold zeros around the slab
  int d = 0;               ///< across the side: 0 is z
  int e = -1;              ///< of an edge: across the other side
  index_t z_begin = 0, z_end = 0, y_begin = 0, y_end = 0;
  index_t rim = 0;  ///< psi is wanted for so many planes and rows of neighbours, too
  slab_pass pass = slab_pass::slope;
  system_kind system = system_kind::isotropic;
  bool is_flat = false;
  std::array<const float*, 2> now{};
  std::array<float*, 2> next{}, psi{}, zeta{};                 ///< of p and q; of an edge psi is side e's, zeta is chi
  tile_shape psi_shape;                                        ///< of an edge: side e's, else the slab's
  std::array<const float*, most_coefficients> coefficients{};  ///< as of step_arguments
  const float *from = nullptr, *keep = nullptr;                ///< a and b by place along d; for x padded
  std::array<float, 3> per_metre{};                            ///< 1 over the spacing along z, y, x
};
using slab_kernel = void (*)(const slab_arguments&);

/// The kernels of one vector length.
struct kernel_table {
  const char* name;  ///< "plain", "avx2", "avx512"
  /// By system and by radius: [system][radius / 2 - 1].
  std::array<std::array<step_kernel, 3>, systems> steps;
  std::array<slab_kernel, 3> absorb;  ///< by radius, as above
  step_kernel of(system_kind system, int radius) const {
    return steps[static_cast<std::size_t>(system)][static_cast<std::size_t>(radius / 2 - 1)];
  }
  slab_kernel absorbing(int radius) const { return absorb[static_cast<std::size_t>(radius / 2 - 1)]; }
};

/// Those that this processor can run, the one with the longest vectors first.
std::vector<const kernel_table*> usable_kernels();
/// The first of them, or the one of that name. @throws nearfar::usage_error  listing them
const kernel_table& kernels_named(std::string_view name);

namespace plain {
const kernel_table* kernels() noexcept;
}
namespace avx2 {
const kernel_table* kernels() noexcept;  ///< null: not on this processor, or not compiled
}
namespace avx512 {
const kernel_table* kernels() noexcept;  ///< as above
}

}  // namespace seismic
