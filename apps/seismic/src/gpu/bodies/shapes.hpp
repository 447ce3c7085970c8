// SPDX-License-Identifier: BSD-3-Clause
// The shapes of blocks, by radius: the fastest on an H100 among those tried (504^3 points). Registers decide: a
// multiprocessor has 65536, so a thread of 512 may have 128, where the compiler keeps all that goes along z but for a
// few.
#pragma once

#include <gpu/bodies/self_adjoint_step.hpp>
#include <gpu/bodies/tilted_step.hpp>

namespace seismic::gpu {

/// Blocks whose threads have packs of points beside each other: up to 32 packs by some rows.
struct isotropic_shape {
  static constexpr int pack = 4, rows = 16, threads = 32 * rows;
};
struct vti_shape {
  static constexpr int pack = 4, rows = 8, threads = 32 * rows;
};

/// Blocks of TX by TY points, at least so many at once on a multiprocessor.
template <int R>
struct tilted_shape {
  static constexpr int TX = R == 6 ? 32 : 64, TY = R == 6 ? 12 : 8, at_once = 1;
  using step = tilted_step<R, TX, TY>;
  using thread = tilted_thread<R, TX, TY>;
};
template <int R>
struct self_adjoint_shape {
  static constexpr int TX = 32, TY = 16, at_once = R == 2 ? 2 : 1;
  using step = self_adjoint_step<R, TX, TY>;
  using thread = self_adjoint_thread<R, TX, TY>;
};

}  // namespace seismic::gpu
